#include <cmath>

#include "autograd/cases/attention_by_head.h"
#include "autograd/cases/layouts.h"
#include "autograd/cases/reference.h"

namespace glossa {

namespace {

/// An additive mask [rows, cols], or none.
struct SampleMask {
  Index rows = 0, cols = 0;
  double (*cell)(Index i, Index j) = nullptr;

  template <class T>
  Tensor<T> numbers(Context<T>& c) const {
    const Tensor<T> mask = c.tensor({rows, cols});
    for (Index i = 0; i < mask.size(); ++i) mask[i] = static_cast<T>(cell(i / cols, i % cols));
    return mask;
  }
};

/// Attention's value by the reference, without dropout.
std::vector<double> attend(const Tensor<double>& q, const Tensor<double>& k, const Tensor<double>& v,
                           const RowLayout& query, const RowLayout& key, const AttentionOptions& options,
                           SampleMask mask = {}) {
  const std::vector<double> slopes = alibi_slopes(options.heads);
  const double width = static_cast<double>(q.cols()) / static_cast<double>(options.heads);
  const Index result_width = v.cols() / options.groups() * options.heads;
  const std::vector<double> no_gradient(q.rows() * result_width);
  const AttentionByHead call{.query = query,
                             .key = key,
                             .heads = options.heads,
                             .key_heads = options.key_heads,
                             .scale = options.scale != 0 ? options.scale : 1 / std::sqrt(width),
                             .q = q,
                             .k = k,
                             .v = v,
                             .dy = {no_gradient.data(), {q.rows(), result_width}},
                             .mask = [&](Index, Index h, Index i, Index j) {
                               const Index distance = std::abs(query.first_position + i - key.first_position - j);
                               const double bias =
                                   options.alibi ? -slopes[static_cast<std::size_t>(h)] * double(distance) : 0;
                               return options.causal && j > i ? -inf : mask.cell ? mask.cell(i, j) + bias : bias;
                             }};
  return call.compute().y;
}

Reference attention_reference(RowLayout query, RowLayout key, AttentionOptions options, SampleMask mask = {}) {
  return [=](InputNumbers x) { return attend(x[0], x[1], x[2], query, key, options, mask); };
}

/// attention(q, k, v) on three inputs.
auto attention_call(RowLayout query, RowLayout key, AttentionOptions options, SampleMask mask = {}) {
  return [=]<class T>(Inputs<T> x) {
    const Tensor<T> numbers = mask.numbers(x[0].context());
    return attention(x[0], x[1], x[2], query, key, options, mask.cell ? &numbers : nullptr);
  };
}

/// Returns a function that adds a row. With random dropout, there is no reference for the value.
auto attention_rows(OpCases& cases) {
  return [&](const std::string& variant, std::vector<CaseInput> inputs, RowLayout query, RowLayout key,
             AttentionOptions options, SampleMask mask = {}) -> OpCase& {
    OpCase& row = cases.add("attention." + variant, std::move(inputs), attention_call(query, key, options, mask));
    if (options.dropout == 0) row.reference(attention_reference(query, key, options, mask));
    return row;
  };
}

/// Columns [first, first + count) of a matrix.
std::vector<double> columns(const Tensor<double>& x, Index first, Index count) {
  std::vector<double> y;
  for (Index row = 0; row < x.rows(); ++row) y.insert(y.end(), x.row(row) + first, x.row(row) + first + count);
  return y;
}

/// A mask in which query 1 sees only key 1.
double partly(Index i, Index j) {
  constexpr double cells[3][3] = {{0.5, -inf, -1}, {-inf, 0, -inf}, {0, 0, 0}};
  return cells[i][j];
}

/// A mask in which query 0 sees no key.
double first_blind(Index i, Index j) {
  constexpr double cells[3][3] = {{-inf, -inf, -inf}, {0, 0, -inf}, {0, 0, 0}};
  return cells[i][j];
}

/// A mask in which no query sees key 1.
double without_second(Index, Index j) { return j == 1 ? -inf : 0; }

/// A mask of varied numbers in which every query sees three of four keys, but query 7 sees no key.
double quarter_blocked(Index i, Index j) {
  return i == 7 || (i + 3 * j) % 4 == 0 ? -inf : static_cast<double>((i * 5 + j * 3) % 11) * 0.2 - 1;
}

/// Three sequences of 70, 33 and 9 rows: 112 rows.
RowLayout packed_70_33_9() { return layout_of<112, RowSpan{0, 70}, RowSpan{70, 33}, RowSpan{103, 9}>(); }

void add_attention_rows(OpCases& cases) {
  const auto row = attention_rows(cases);
  const RowLayout packed = packed_2_3(), padded = padded_2_3(), other = packed_4_1(), three = one_of_3(),
                  single = one_of_1();
  const auto of_packed = [=](RowLayout key, AttentionOptions options) {
    return attention_call(packed_2_3(), key, options);
  };

  row("one_head", {{3, 2}, {3, 2}, {3, 2}}, three, three, {})
      .error({{4, 2}, {5, 2}, {5, 2}}, of_packed(packed, {}), {"[4, 2]", "5"})
      .error({{5, 2}, {5, 3}, {5, 2}}, of_packed(packed, {}), {"[5, 2]", "[5, 3]"})
      .error({{5, 2}, {5, 2}, {4, 2}}, of_packed(packed, {}), {"[4, 2]", "5"})
      .error({{5, 3}, {5, 3}, {5, 2}}, of_packed(packed, {.heads = 2}), {"[5, 3]", "2"})
      .error({{5, 2}, {3, 2}, {3, 2}}, of_packed(three, {}), {"2", "1"})
      .error({{5, 2}, {5, 2}, {5, 2}}, of_packed(packed, {.dropout = 2}), {"2"})
      .error({{5, 2}, {5, 2}, {5, 2}}, of_packed(beyond_5(), {}), {"sequence 1"});
  row("two_heads", {{3, 4}, {3, 4}, {3, 4}}, three, three, {.heads = 2});
  row("packed", {{5, 4}, {5, 4}, {5, 4}}, packed, packed, {.heads = 2});
  row("padded", {{6, 4}, {6, 4}, {6, 4}}, padded, padded, {.heads = 2});
  row("causal", {{3, 4}, {3, 4}, {3, 4}}, three, three, {.heads = 2, .causal = true});
  row("causal_padded", {{6, 4}, {6, 4}, {6, 4}}, padded, padded, {.heads = 2, .causal = true});
  row("cross_longer_keys", {{5, 4}, {5, 4}, {5, 4}}, packed, other, {.heads = 2});
  row("cross_padded", {{6, 2}, {5, 2}, {5, 2}}, padded, other, {});
  row("causal_cross", {{5, 2}, {5, 2}, {5, 2}}, other, packed, {.causal = true});
  row("single_row", {{1, 4}, {1, 4}, {1, 4}}, single, single, {.heads = 2});
  row("wider_values", {{3, 2}, {3, 2}, {3, 6}}, three, three, {.heads = 2});
  row("width_one", {{3, 2}, {3, 2}, {3, 2}}, three, three, {.heads = 2});
  row("own_scale", {{3, 4}, {3, 4}, {3, 4}}, three, three, {.heads = 2, .scale = 0.3});

  row("alibi", {{5, 4}, {5, 4}, {5, 4}}, packed, packed, {.heads = 2, .alibi = true});
  row("alibi_causal", {{6, 6}, {6, 6}, {6, 6}}, padded, padded, {.heads = 3, .causal = true, .alibi = true});
  row("alibi_cross", {{5, 12}, {5, 12}, {5, 12}}, packed, other, {.heads = 6, .alibi = true});
  RowLayout later = three;
  later.first_position = 7;
  row("alibi_later_position", {{3, 4}, {5, 4}, {5, 4}}, later, one_of_5(), {.heads = 2, .alibi = true});
  row("alibi_grouped", {{5, 8}, {5, 4}, {5, 4}}, packed, packed, {.heads = 4, .key_heads = 2, .alibi = true});
  row("alibi_dropout", {{5, 4}, {5, 4}, {5, 4}}, packed, other, {.heads = 2, .dropout = 0.3, .alibi = true});

  const RowLayout keys_missing = layout_of<3, RowSpan{0, 3}, RowSpan{3, 0}>(),
                  five = layout_of<5, RowSpan{0, 3}, RowSpan{3, 2}>();
  row("no_keys", {{5, 4}, {3, 4}, {3, 4}}, five, keys_missing, {.heads = 2});
  cases.add("attention.same_for_all", {{3, 4}},
            [=](auto x) { return attention(x[0], x[0], x[0], one_of_3(), one_of_3(), {.heads = 2}); });
  row("dropout", {{5, 4}, {5, 4}, {5, 4}}, packed, other, {.heads = 2, .dropout = 0.3});
  row("dropout_padded", {{6, 4}, {6, 4}, {6, 4}}, padded, padded, {.heads = 2, .causal = true, .dropout = 0.3});
  row("all_dropped", {{3, 4}, {3, 4}, {3, 4}}, three, three, {.heads = 2, .dropout = 1})
      .reference(by_element(12, [](auto, Index) { return 0.0; }))
      .with_zero_gradient();

  // Heads that share keys and values, also with gaps, wider values, and more heads than SIMD lanes.
  row("grouped", {{5, 8}, {5, 4}, {5, 4}}, packed, packed, {.heads = 4, .key_heads = 2})
      .error({{5, 8}, {5, 4}, {5, 4}}, of_packed(packed, {.heads = 4, .key_heads = 3}), {"4", "3"})
      .error({{5, 8}, {5, 4}, {5, 4}}, of_packed(packed, {.heads = 4, .key_heads = -1}), {"4", "-1"})
      .error({{5, 8}, {5, 3}, {5, 4}}, of_packed(packed, {.heads = 4, .key_heads = 2}), {"[5, 3]", "2 of keys"})
      .error({{5, 8}, {5, 8}, {5, 4}}, of_packed(packed, {.heads = 4, .key_heads = 2}), {"[5, 8]"});
  row("grouped_causal_padded", {{6, 8}, {6, 4}, {6, 6}}, padded, padded, {.heads = 4, .key_heads = 2, .causal = true});
  row("grouped_as_heads", {{5, 4}, {5, 4}, {5, 4}}, packed, packed, {.heads = 2, .key_heads = 2});
  row("one_key_head", {{5, 12}, {5, 2}, {5, 3}}, packed, other, {.heads = 6, .key_heads = 1, .scale = 0.3});
  row("many_grouped", {{3, 18}, {3, 6}, {3, 6}}, three, three, {.heads = 18, .key_heads = 6, .causal = true})
      .sampling(9);
  row("grouped_dropout", {{5, 8}, {5, 4}, {5, 4}}, packed, other, {.heads = 4, .key_heads = 2, .dropout = 0.3});

  // More heads than SIMD lanes; then longer sequences.
  row("many_heads", {{3, 18}, {3, 18}, {3, 18}}, three, three, {.heads = 18, .causal = true}).sampling(9);
  const RowLayout many = packed_70_33_9();
  row("large", {{112, 24}, {112, 24}, {112, 24}}, many, many, {.heads = 3}).sampling(4);
  row("large_alibi", {{112, 24}, {112, 24}, {112, 24}}, many, many, {.heads = 3, .causal = true, .alibi = true})
      .sampling(4);
  row("large_causal", {{112, 24}, {112, 24}, {112, 24}}, many, many, {.heads = 3, .causal = true}).sampling(4);
  row("large_grouped", {{112, 24}, {112, 12}, {112, 6}}, many, many, {.heads = 4, .key_heads = 2, .causal = true})
      .sampling(4);
  row("large_dropout", {{112, 24}, {112, 24}, {112, 24}}, many, many, {.heads = 3, .causal = true, .dropout = 0.3})
      .sampling(4);
}

/// Layouts of two sequences, the longer one computed in tiles: 370 queries, 320 keys, 310 padded rows.
RowLayout long_queries() { return layout_of<370, RowSpan{0, 100}, RowSpan{100, 270}>(); }

RowLayout long_keys() { return layout_of<320, RowSpan{0, 70}, RowSpan{70, 250}>(); }

RowLayout long_padded() { return layout_of<310, RowSpan{0, 260}, RowSpan{270, 30}>(); }

void add_long_rows(OpCases& cases) {
  const auto row = [add = attention_rows(cases)](const std::string& variant, Index width, RowLayout query,
                                                 RowLayout key, AttentionOptions options) {
    const Index key_width = width / options.heads * options.groups();
    add("long_" + variant, {{query.rows, width}, {key.rows, key_width}, {key.rows, key_width}}, query, key, options)
        .sampling(2);
  };
  const RowLayout query = long_queries(), key = long_keys(), padded = long_padded();
  row("causal", 12, query, query, {.heads = 2, .causal = true});
  row("cross", 5, query, key, {.heads = 1, .scale = 0.3});
  row("causal_cross", 12, query, key, {.heads = 3, .causal = true});
  row("padded", 16, padded, padded, {.heads = 2});
  row("alibi", 12, query, key, {.heads = 3, .alibi = true});
  row("alibi_causal", 12, query, query, {.heads = 2, .causal = true, .alibi = true});
  row("alibi_grouped", 12, query, key, {.heads = 4, .key_heads = 2, .alibi = true});
  row("dropout", 12, query, key, {.heads = 2, .dropout = 0.3});
  row("grouped", 12, query, key, {.heads = 6, .key_heads = 2, .causal = true});
  row("grouped_dropout", 18, padded, padded, {.heads = 9, .key_heads = 1, .dropout = 0.3});
  row("dropout_of_many_heads", 18, padded, padded, {.heads = 9, .causal = true, .dropout = 0.3});
}

void add_mask_rows(OpCases& cases) {
  const auto row = attention_rows(cases);
  const RowLayout packed = packed_2_3(), three = one_of_3(), six = layout_of<6, RowSpan{0, 6}>();
  const SampleMask some{3, 3, partly}, blind{3, 3, first_blind}, large{75, 72, quarter_blocked};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  row("mask", {{5, 4}, {5, 4}, {5, 4}}, packed, packed, {.heads = 2}, some)
      .error({{6, 2}, {6, 2}, {6, 2}}, attention_call(six, six, {}, some), {"[3, 3]", "[6, 6]"});
  row("masked_row", {{3, 4}, {3, 4}, {3, 4}}, three, three, {.heads = 2, .causal = true}, blind);
  row("masked_row_dropout", {{3, 4}, {3, 4}, {3, 4}}, three, three, {.heads = 2, .dropout = 0.3}, blind);
  // NaN in the gap of a padded batch, and in a blocked key.
  row("nan_in_gap",
      {{6, 2},
       CaseInput{6, 2}.of({0.5, -1, 1, 0.25, nan, nan, 1, 2, -0.5, 1, 0.75, -2}),
       CaseInput{6, 2}.of({1, -1, 2, 0.5, nan, nan, 0.5, 1, -1, 1, 0.25, 2})},
      padded_2_3(), padded_2_3(), {});
  row("nan_behind_mask",
      {{3, 2}, CaseInput{3, 2}.of({0.5, -1, nan, nan, 1, 2}), CaseInput{3, 2}.of({1, -1, nan, nan, 2, 1})}, three,
      three, {}, {6, 6, without_second});

  // Sequences of at least kernels::few_queries queries take another path than shorter ones.
  const RowLayout many = packed_70_33_9();
  row("large_mask", {{112, 6}, {112, 6}, {112, 6}}, many, many, {.heads = 2, .causal = true}, large).sampling(6);
  row("large_mask_alibi", {{112, 6}, {112, 6}, {112, 6}}, many, many, {.heads = 2, .alibi = true}, large).sampling(6);
  row("nan_behind_mask_of_many",
      {{6, 2},
       CaseInput{6, 2}.of({0.5, -1, nan, nan, 1, 2, -1.5, 1, 0.25, -2, 1.5, 0.75}),
       CaseInput{6, 2}.of({1, -1, nan, nan, 2, 1, 0.5, -0.5, -1, 2, 0.25, 1.5})},
      six, six, {}, {6, 6, without_second});
}

void add_self_rows(OpCases& cases) {
  const auto self = [](RowLayout layout, AttentionOptions options, SampleMask mask = {}) {
    return [=]<class T>(Inputs<T> x) {
      const Tensor<T> numbers = mask.numbers(x[0].context());
      return self_attention(x[0], layout, options, mask.cell ? &numbers : nullptr);
    };
  };
  const auto self_reference = [](RowLayout layout, AttentionOptions options) -> Reference {
    return [=](InputNumbers x) {
      const Index width = x[0].cols() / (options.heads + 2 * options.groups());
      const Index d = options.heads * width, g = options.groups() * width;
      std::vector<double> q = columns(x[0], 0, d), k = columns(x[0], d, g), v = columns(x[0], d + g, g);
      const Shape of_keys = x[0].shape.with(-1, g);
      return attend({q.data(), x[0].shape.with(-1, d)}, {k.data(), of_keys}, {v.data(), of_keys}, layout, layout,
                    options);
    };
  };
  const auto row = [&](const char* what, CaseInput input, RowLayout layout, AttentionOptions options) -> OpCase& {
    return cases.add(std::string("self_attention.") + what, {std::move(input)}, self(layout, options))
        .reference(self_reference(layout, options));
  };
  row("packed", {5, 12}, packed_2_3(), {.heads = 2})
      .error({{5, 11}}, self(packed_2_3(), {}), {"[5, 11]"})
      .error({{4, 12}}, self(packed_2_3(), {}), {"[4, 12]", "5"})
      .error({{5, 12}}, self(overlapping_of_5(), {}), {"sequence 1"})
      .error({{5, 12}}, self(beyond_5(), {}), {"sequence 1"});
  row("padded_causal", {6, 12}, padded_2_3(), {.heads = 2, .causal = true});
  row("grouped", {5, 16}, packed_2_3(), {.heads = 4, .key_heads = 2}).error({{5, 15}}, {"[5, 15]", "8", "2 of keys"});
  row("alibi", {6, 12}, padded_2_3(), {.heads = 4, .alibi = true});
  cases.add("self_attention.dropout", {{5, 12}}, self(packed_2_3(), {.heads = 2, .causal = true, .dropout = 0.3}));
  cases.add("self_attention.mask", {{3, 6}}, self(one_of_3(), {.heads = 2}, {3, 3, first_blind}));
  cases.add("self_attention.long", {{370, 12}}, self(long_queries(), {.heads = 2, .causal = true, .dropout = 0.3}))
      .sampling(3);
}

void add_cross_rows(OpCases& cases) {
  const auto cross = [](RowLayout query, RowLayout key, AttentionOptions options) {
    return [=](auto x) { return cross_attention(x[0], x[1], query, key, options); };
  };
  const auto row = [&](const char* what, std::vector<CaseInput> inputs, AttentionOptions options) -> OpCase& {
    const RowLayout query = packed_2_3(), key = packed_4_1();
    return cases.add(std::string("cross_attention.") + what, std::move(inputs), cross(query, key, options))
        .reference([=](InputNumbers x) {
          const Index half = x[1].cols() / 2;
          const Shape shape = x[1].shape.with(-1, half);
          std::vector<double> k = columns(x[1], 0, half), v = columns(x[1], half, half);
          return attend(x[0], {k.data(), shape}, {v.data(), shape}, query, key, options);
        });
  };
  row("packed", {{5, 4}, {5, 8}}, {.heads = 2})
      .error({{5, 4}, {5, 6}}, cross(packed_2_3(), packed_4_1(), {}), {"[5, 4]", "[5, 6]"})
      .error({{5, 4}, {5, 8}}, cross(overlapping_of_5(), packed_4_1(), {}), {"sequence 1"})
      .error({{5, 4}, {4, 8}}, cross(packed_2_3(), packed_4_1(), {}), {"[4, 8]", "5"});
  row("grouped", {{5, 8}, {5, 4}}, {.heads = 4, .key_heads = 1, .causal = true})
      .error({{5, 8}, {5, 8}}, cross(packed_2_3(), packed_4_1(), {.heads = 4, .key_heads = 1}), {"[5, 8]"});
  cases.add("cross_attention.padded_dropout", {{6, 4}, {5, 8}},
            cross(padded_2_3(), packed_4_1(), {.heads = 2, .dropout = 0.3}));
  cases
      .add("cross_attention.long", {{370, 4}, {320, 8}},
           cross(long_queries(), long_keys(), {.heads = 2, .dropout = 0.3}))
      .sampling(3);
}

}  // namespace

void add_attention_cases(OpCases& cases) {
  add_attention_rows(cases);
  add_mask_rows(cases);
  add_long_rows(cases);
  add_self_rows(cases);
  add_cross_rows(cases);
}

}  // namespace glossa
