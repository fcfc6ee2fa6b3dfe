// Attention's paths against the reference, docs/attention.md: values and derivatives, at any lengths.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "autograd/cases/attention_by_head.h"
#include "autograd/cases/sample.h"
#include "autograd/kernels/attention_paths.h"
#include "autograd/kernels/lanes.h"
#include "base/parallel.h"
#include "tests/support/sanitized.h"

using namespace glossa;
using glossa::testing::sanitized;

namespace {

using kernels::AttentionPath;
using kernels::Columns;

constexpr Index all_kept = std::numeric_limits<Index>::max(), all_in_tiles = 0;
constexpr double blocked = -std::numeric_limits<double>::infinity();

struct Lengths {
  Index rows, keys;
};

/// A call of attention on sequences one after the other, with random operands and a random gradient of the result.
template <class T>
struct Call {
  std::vector<Lengths> lengths;
  Index heads, key_width, value_width;
  Index key_heads = 0;  // 0: heads
  bool causal = false;
  double dropout = 0;
  bool add = false;          // add the gradients to ones
  bool masked = false;       // with an additive mask
  bool shared_keys = false;  // all sequences read the keys of the first; no derivative
  bool alibi = false;        // with biases, and positions that do not start at 0
  std::vector<T> q{}, k{}, v{}, dy{}, mask{}, slopes{};
  std::vector<RowSpan> row_spans{}, key_spans{};
  std::vector<std::uint32_t> ids{};

  struct Result {
    std::vector<T> y, dq, dk, dv;

    bool same_bits(const Result& other) const {
      return glossa::same_bits(y, other.y) && glossa::same_bits(dq, other.dq) && glossa::same_bits(dk, other.dk) &&
             glossa::same_bits(dv, other.dv);
    }
  };

  Index rows() const { return row_spans.back().offset + row_spans.back().length; }
  Index keys() const { return key_spans.back().offset + key_spans.back().length; }
  Index groups() const { return key_heads != 0 ? key_heads : heads; }
  static Index padded_rows(const Lengths& sequence) { return kernels::padded<T>(sequence.rows); }

  void draw(std::uint64_t seed = 1) {
    for (const Lengths& sequence : lengths) {
      const Index row = row_spans.empty() ? 0 : rows(), key = key_spans.empty() || shared_keys ? 0 : keys();
      row_spans.push_back({row, sequence.rows});
      key_spans.push_back({key, sequence.keys});
      ids.push_back(static_cast<std::uint32_t>(17 + row));
    }
    RandomStream random(seed, "attention");
    const auto fill = [&](std::vector<T>& numbers, Index count) {
      numbers.resize(static_cast<std::size_t>(count));
      for (T& x : numbers) x = static_cast<T>(random.normal());
    };
    fill(q, rows() * heads * key_width);
    fill(k, keys() * groups() * key_width);
    fill(v, keys() * groups() * value_width);
    fill(dy, rows() * heads * value_width);
    if (alibi)
      for (const double slope : alibi_slopes(heads)) slopes.push_back(static_cast<T>(slope));
    if (!masked) return;
    fill(mask, mask_size().rows * mask_size().keys);
    for (Index i = 0; i < mask_size().rows; ++i)  // a quarter is hidden, and query 2 sees nothing
      for (Index j = 0; j < mask_size().keys; ++j)
        if (T& cell = mask[i * mask_size().keys + j]; i == 2 || cell < T(-0.67)) cell = static_cast<T>(blocked);
  }

  Lengths mask_size() const {
    Lengths size{0, 0};
    for (const Lengths& sequence : lengths)
      size = {std::max(size.rows, sequence.rows), std::max(size.keys, sequence.keys)};
    return size;
  }

  kernels::DropoutSite site() const { return {{3, 4}, 5, dropout}; }

  /// Dropout masks of all weights, [heads, Tk, padded(Tq)] sequence by sequence, each from heads * cells.
  std::vector<std::uint8_t> keep(const std::vector<Index>& cells) const {
    std::vector<std::uint8_t> result(static_cast<std::size_t>(dropout > 0 ? heads * cells.back() : 0));
    if (dropout > 0)
      kernels::attention_dropout_mask(result, heads, cells, kernels::Lanes<T>::count, site(), shape().query,
                                      shape().key);
    return result;
  }

  std::vector<Index> cells(Index max_kept) const {
    std::vector<Index> result{0};
    for (const Lengths& sequence : lengths) {
      const bool in_tiles = kernels::attention_path(sequence.rows, sequence.keys, max_kept) == AttentionPath::tiles;
      result.push_back(result.back() + (in_tiles ? 0 : sequence.keys * padded_rows(sequence)));
    }
    return result;
  }

  kernels::AttentionShape<T> shape() const {
    return {.query = {.rows = rows(), .sequences = row_spans, .sequence_ids = ids, .first_position = alibi ? 9 : 0},
            .key = {.rows = keys(), .sequences = key_spans, .first_position = alibi ? 4 : 0},
            .heads = heads,
            .key_heads = groups(),
            .key_width = key_width,
            .value_width = value_width,
            .causal = causal,
            .scale = T(0.4),
            .slopes = slopes};
  }

  /// Value and gradients by the fast paths. `directly`: calls the path that each sequence must take.
  Result run(Index max_kept, bool directly = false) const {
    kernels::AttentionShape<T> call = shape();
    const std::vector<Index> kept = cells(max_kept);
    const std::vector<std::uint8_t> kept_mask = keep(kept);
    call.max_kept = max_kept;
    call.cells = kept;
    std::vector<T> transposed_mask(static_cast<std::size_t>(mask_size().keys * kernels::padded<T>(mask_size().rows)));
    if (masked) {
      call.mask = {transposed_mask.data(), {mask_size().keys, kernels::padded<T>(mask_size().rows)}};
      for (Index i = 0; i < mask_size().rows; ++i)
        for (Index j = 0; j < mask_size().keys; ++j) call.mask.row(j)[i] = mask[i * mask_size().keys + j];
    }
    if (dropout > 0) {
      call.keep = kept_mask;
      call.dropout = site();
      call.keep_scale = static_cast<T>(site().keep_scale());
    }
    const T nan = std::numeric_limits<T>::quiet_NaN(), before = add ? T(1) : nan;
    std::vector<T> weights(static_cast<std::size_t>(heads * kept.back()), nan), scratch(call.scratch_size(), nan),
        log_sums(static_cast<std::size_t>(heads * rows()), nan);
    Result result{std::vector<T>(dy.size(), nan), std::vector<T>(q.size(), before), std::vector<T>(k.size(), before),
                  std::vector<T>(v.size(), before)};
    const auto columns = [&](auto& numbers, Index width) {
      return Columns<std::remove_reference_t<decltype(numbers[0])>>{numbers.data(), width, add};
    };
    const Index query_cols = heads * key_width, key_cols = groups() * key_width, value_cols = groups() * value_width;
    const kernels::AttentionColumns<const T> x{columns(q, query_cols), columns(k, key_cols), columns(v, value_cols)};
    const kernels::AttentionColumns<T> dx{columns(result.dq, query_cols), columns(result.dk, key_cols),
                                          columns(result.dv, value_cols)};
    const Columns<T> y{result.y.data(), heads * value_width};
    const Columns<const T> out{y.data, y.stride}, d_out = columns(dy, heads * value_width);
    if (!directly) {
      kernels::attention_forward(call, x, {weights.data(), log_sums.data()}, y, scratch.data());
      if (!shared_keys)
        kernels::attention_backward(call, x, {weights.data(), log_sums.data()}, out, d_out, dx, scratch.data());
      return result;
    }
    for (Index b = 0; b < call.query.sequence_count(); ++b)
      for (const bool backward : {false, true})
        if (lengths[b].rows >= 4 && lengths[b].rows * lengths[b].keys > max_kept) {
          if (backward) tiles_backward(call, b, x, log_sums.data(), out, d_out, dx, scratch.data());
          if (!backward) tiles_forward(call, b, x, log_sums.data(), y, scratch.data());
        } else {
          const kernels::HeadRange all{b, 0, heads};
          if (backward) whole_backward(call, all, x, weights.data(), d_out, dx, scratch.data());
          if (!backward && lengths[b].rows < 4) few_forward(call, all, x, weights.data(), y, scratch.data());
          if (!backward && lengths[b].rows >= 4) whole_forward(call, all, x, weights.data(), y, scratch.data());
        }
    return result;
  }

  /// Value and gradients by the reference.
  AttentionByHead::Result by_reference() const {
    const std::vector<Index> all = cells(all_kept);
    const std::vector<std::uint8_t> kept = keep(all);
    const auto doubles = [](const std::vector<T>& x) { return std::vector<double>(x.begin(), x.end()); };
    const std::vector<double> q_ = doubles(q), k_ = doubles(k), v_ = doubles(v), dy_ = doubles(dy);
    AttentionByHead call{.query = shape().query,
                         .key = shape().key,
                         .heads = heads,
                         .key_heads = key_heads,
                         .scale = static_cast<double>(T(0.4)),
                         .q = {q_.data(), {rows(), heads * key_width}},
                         .k = {k_.data(), {keys(), groups() * key_width}},
                         .v = {v_.data(), {keys(), groups() * value_width}},
                         .dy = {dy_.data(), {rows(), heads * value_width}},
                         .mask = [&](Index, Index h, Index i, Index j) {
                           const double cell = masked ? static_cast<double>(mask[i * mask_size().keys + j]) : 0;
                           const double bias = alibi ? -double(slopes[h]) * double(std::abs(i + 5 - j)) : 0;
                           return causal && j > i ? blocked : cell + bias;
                         }};
    if (dropout > 0)
      call.dropout = [&](Index b, Index h, Index i, Index j) {
        const Index cell = heads * all[b] + (h * lengths[b].keys + j) * padded_rows(lengths[b]) + i;
        return kept[cell] ? site().keep_scale() : 0;
      };
    AttentionByHead::Result result = call.compute();
    for (std::vector<double>* gradient : {&result.dq, &result.dk, &result.dv})
      for (double& x : *gradient) x += add ? 1 : 0;
    return result;
  }

  /// Compares the fast paths with the reference, and checks that the right ones ran.
  void check(Index max_kept, double tolerance) const {
    CAPTURE(lengths.front().rows);
    CAPTURE(lengths.front().keys);
    CAPTURE(heads);
    CAPTURE(key_heads);
    CAPTURE(key_width);
    CAPTURE(value_width);
    CAPTURE(causal);
    CAPTURE(dropout);
    CAPTURE(alibi);
    const Result fast = run(max_kept);
    const AttentionByHead::Result reference = by_reference();
    CHECK(error(fast.y, reference.y) < tolerance);
    if (shared_keys) return;
    CHECK(error(fast.dq, reference.dq) < tolerance);
    CHECK(error(fast.dk, reference.dk) < tolerance);
    CHECK(error(fast.dv, reference.dv) < tolerance);
    CHECK(fast.same_bits(run(max_kept, /*directly=*/true)));
  }

  /// The largest difference, relative for numbers above 1; infinite if one is NaN.
  static double error(const std::vector<T>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double d = std::fabs(static_cast<double>(a[i]) - b[i]) / std::max(1.0, std::fabs(b[i]));
      largest = d <= largest ? largest : d == d ? d : std::numeric_limits<double>::infinity();
    }
    return largest;
  }
};

/// Lengths at the borders of vectors, blocks of rows, tiles, stripes, and parts of the keys.
const std::vector<std::vector<Lengths>> long_batches{
    {{4, 1}},
    {{7, 9}, {16, 15}, {17, 8}},
    {{64, 64}},
    {{65, 63}, {63, 65}},
    {{129, 127}, {4, 200}},
    {{256, 70}, {70, 256}},
    {{257, 257}},
    {{40, 580}},
    {{530, 70}},
};

const std::vector<std::vector<Lengths>> short_batches{
    {{1, 1}}, {{3, 3}}, {{1, 17}, {2, 16}, {3, 15}, {2, 0}, {0, 2}}, {{1, 64}, {3, 130}}};

}  // namespace

TEST_CASE("attention takes the path that fits the lengths") {
  using enum AttentionPath;
  CHECK(kernels::attention_path(3, 100'000) == few);
  CHECK(kernels::attention_path(4, 100) == whole);
  CHECK(kernels::attention_path(256, 256) == whole);
  CHECK(kernels::attention_path(256, 257) == tiles);
  CHECK(kernels::attention_path(4, 100'000) == tiles);
  // With heads wider than a vector the paths differ in their last bits, which distinguishes them.
  for (const Lengths& sequence : {Lengths{3, 40}, Lengths{4, 40}, Lengths{70, 70}}) {
    Call<float> call{.lengths = {sequence}, .heads = 2, .key_width = 40, .value_width = 24};
    call.draw();
    const auto expected = call.run(70 * 69, /*directly=*/true);
    CHECK(call.run(70 * 69).same_bits(expected));
    Call<float> more = call;  // as in a larger batch, whose heads are not computed one by one
    more.lengths.assign(40, sequence);
    more.row_spans.clear(), more.key_spans.clear(), more.ids.clear();
    more.draw();
    CHECK(more.run(70 * 69).same_bits(more.run(70 * 69, /*directly=*/true)));
  }
  Call<float> call{.lengths = {{70, 70}}, .heads = 2, .key_width = 40, .value_width = 24};
  call.draw();
  CHECK_FALSE(call.run(70 * 69).same_bits(call.run(70 * 70)));
  Call<float> pair{.lengths = {{3, 40}}, .heads = 2, .key_width = 40, .value_width = 24};
  pair.draw();
  Call<float> longer = pair;  // its first three queries, among four
  longer.lengths = {{4, 40}};
  longer.row_spans = {{0, 4}};
  longer.q.resize(4 * 80), longer.dy.resize(4 * 48);
  std::vector<float> first_three = longer.run(all_kept).y;
  first_three.resize(3 * 48);
  CHECK_FALSE(same_bits(first_three, pair.run(all_kept).y));
}

TEST_CASE("every path of attention matches the reference's value and derivative, in double") {
  constexpr Index heads = sanitized ? 2 : 3;
  for (const bool causal : {false, true})
    for (const double dropout : sanitized ? std::vector{0.3} : std::vector{0.0, 0.3, 1.0}) {
      const auto call = [&](const std::vector<Lengths>& batch) {
        Call<double> result{
            .lengths = batch, .heads = heads, .key_width = 5, .value_width = 8, .causal = causal, .dropout = dropout};
        result.add = causal;
        result.draw();
        return result;
      };
      for (const auto& batch : short_batches) call(batch).check(all_kept, 1e-12);
      for (const auto& batch : long_batches)
        for (const Index max_kept : {all_kept, all_in_tiles}) call(batch).check(max_kept, 1e-12);
      call({{100, 100}, {2, 300}, {9, 4}, {0, 5}, {200, 0}, {130, 130}}).check(100 * 100, 1e-12);  // all three paths
    }
}

TEST_CASE("every path of attention matches the reference with ALiBi's biases") {
  for (const bool causal : {false, true})
    for (const auto& counts : {std::pair<Index, Index>{3, 3}, {8, 8}, {8, 2}}) {
      const Index heads = counts.first, key_heads = counts.second;
      const auto call = [&](const std::vector<Lengths>& batch) {
        Call<double> result{
            .lengths = batch, .heads = heads, .key_width = 5, .value_width = 8, .causal = causal, .dropout = 0.2};
        result.key_heads = key_heads;
        result.alibi = true;
        result.draw();
        return result;
      };
      for (const auto& batch : short_batches) call(batch).check(all_kept, 1e-12);
      for (const auto& batch : {long_batches[1], long_batches[3], long_batches[6], long_batches[7]})
        for (const Index max_kept : {all_kept, all_in_tiles}) call(batch).check(max_kept, 1e-12);
    }
}

TEST_CASE("heads that share keys match the reference on every path, and do not depend on the number of threads") {
  const int before = threads();
  for (const auto& counts : {std::pair<Index, Index>{6, 2}, {4, 1}, {3, 3}, {18, 6}})
    for (const bool add : {false, true}) {
      const Index heads = counts.first, key_heads = counts.second;
      const auto call = [&](const std::vector<Lengths>& batch) {
        Call<double> result{.lengths = batch,
                            .heads = heads,
                            .key_width = 5,
                            .value_width = 8,
                            .key_heads = key_heads,
                            .causal = add,
                            .dropout = add ? 0.3 : 0.0};
        result.add = add;
        result.draw();
        return result;
      };
      for (const auto& batch : short_batches) call(batch).check(all_kept, 1e-12);
      const auto mixed = call({{30, 30}, {2, 150}, {9, 4}, {0, 5}, {20, 0}, {130, 130}});  // all three paths
      mixed.check(30 * 30, 1e-12);
      call({{40, 580}}).check(all_in_tiles, 1e-12);                   // several parts of the keys
      call(std::vector<Lengths>(32, {5, 4})).check(all_kept, 1e-12);  // all heads of a sequence are one piece
      for (const Call<double>& batch : {mixed, call({{30, 40}})}) {
        set_threads(1);
        const auto alone = batch.run(30 * 30);
        set_threads(4);
        CHECK(batch.run(30 * 30).same_bits(alone));
        set_threads(before);
      }
    }
}

TEST_CASE("as many heads of keys as of queries give the bits of no groups") {
  for (const Index max_kept : {all_kept, all_in_tiles}) {
    Call<float> call{.lengths = {{70, 90}, {3, 40}}, .heads = 4, .key_width = 20, .value_width = 12};
    call.draw();
    Call<float> grouped = call;
    grouped.key_heads = 4;
    CHECK(grouped.run(max_kept).same_bits(call.run(max_kept)));
  }
}

TEST_CASE("every path of attention matches the reference within rounding, in float") {
  for (const Index max_kept : {all_kept, all_in_tiles})
    for (const std::vector<Lengths>& batch : {std::vector<Lengths>{{1, 1}, {3, 90}}, {{90, 65}}, {{257, 257}}}) {
      Call<float> call{
          .lengths = batch, .heads = 9, .key_width = 16, .value_width = 20, .causal = true, .dropout = 0.1};
      call.draw();
      call.check(max_kept, 2e-5);
    }
}

TEST_CASE("random calls of attention match the reference's value and derivative") {
  RandomStream random(20, "calls of attention");
  const auto from = [&](Index low, Index high) {
    return low + static_cast<Index>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  };
  for (int number = 0; number < (sanitized ? 15 : 60); ++number) {
    CAPTURE(number);
    Call<double> call{.lengths = {},
                      .heads = from(1, 10),
                      .key_width = from(1, 20),
                      .value_width = from(1, 20),
                      .causal = from(0, 1) == 1,
                      .dropout = from(0, 1) * random.uniform(),
                      .add = from(0, 1) == 1,
                      .masked = from(0, 3) == 0,
                      .alibi = from(0, 3) == 0};
    if (from(0, 2) == 0) {
      call.key_heads = call.heads;
      call.heads *= from(1, 4);
    }
    for (Index b = from(1, 3); b > 0; --b)
      call.lengths.push_back(from(0, 2) == 0 ? Lengths{from(1, 4), from(1, 40)} : Lengths{from(1, 150), from(1, 150)});
    call.draw(static_cast<std::uint64_t>(number));
    call.check(call.masked || from(0, 1) == 0 ? all_kept : from(0, 60) * 40, 1e-12);
  }
}

TEST_CASE("attention with an additive mask matches the reference's value and derivative") {
  for (const bool causal : {false, true})
    for (const double dropout : {0.0, 0.3})
      for (const std::vector<Lengths>& batch :
           {std::vector<Lengths>{{3, 9}}, {{1, 1}, {3, 17}, {2, 4}}, {{65, 70}, {33, 9}, {3, 64}}}) {
        Call<double> call{
            .lengths = batch, .heads = 3, .key_width = 5, .value_width = 8, .causal = causal, .dropout = dropout};
        call.masked = true;
        call.draw();
        call.check(all_kept, 1e-12);
      }
}

TEST_CASE("decoding's attention, whose hypotheses share keys, matches the reference's value") {
  for (const Index rows : {1, 3, 5}) {
    Call<double> call{.lengths = {{rows, 30}, {rows, 30}, {1, 30}}, .heads = 4, .key_width = 8, .value_width = 8};
    call.shared_keys = true;
    Call<double> grouped = call;
    grouped.key_heads = 2;
    for (Call<double>* each : {&call, &grouped}) {
      each->draw();
      each->check(all_kept, 1e-12);
    }
  }
}

TEST_CASE("long sequences keep all weights if there is a mask or the weights are requested") {
  constexpr Index length = 260, heads = 2, width = 2 * heads;
  static_assert(length * length > kernels::max_kept_weights);
  RandomStream random(1, "long");
  std::vector<double> numbers(length * width), cells(length * length);
  for (double& x : numbers) x = random.normal();
  for (double& cell : cells) cell = random.below(4) == 0 ? blocked : random.normal();
  const RowSpan span{0, length};
  const RowLayout layout{.rows = length, .sequences = {&span, 1}};
  const Tensor<double> matrix{numbers.data(), {length, width}}, mask{cells.data(), {length, length}};
  AttentionByHead call{.query = layout,
                       .key = layout,
                       .heads = heads,
                       .scale = 1 / std::sqrt(2.0),
                       .q = matrix,
                       .k = matrix,
                       .v = matrix,
                       .dy = matrix,
                       .mask = [&](Index, Index, Index i, Index j) { return mask.row(i)[j]; }};
  Context<double> context;
  context.begin({});
  const Variable<double> x = context.input(matrix);
  const auto y = attention<double>(x, x, x, layout, layout, {.heads = heads}, &mask);
  CHECK(Call<double>::error(numbers_of(y.value()), call.compute().y) < 1e-12);
  Tensor<double> weights;
  attention<double>(x, x, x, layout, layout, {.heads = heads}, nullptr, &weights);
  call.mask = [](Index, Index, Index, Index) { return 0.0; };
  CHECK(Call<double>::error(numbers_of(weights), call.compute().weights) < 1e-12);
}

TEST_CASE("attention in tiles gives the same bits with any number of threads, even for one head") {
  const int before = threads();
  for (const Index heads : {1, 3, 8}) {
    Call<float> call{.lengths = {{600, 600}, {90, 700}},
                     .heads = heads,
                     .key_width = 16,
                     .value_width = 8,
                     .causal = heads == 3,
                     .dropout = 0.3};
    call.draw();
    set_threads(1);
    const auto one = call.run(all_in_tiles);
    for (const int count : {2, 4}) {
      set_threads(count);
      CHECK(call.run(all_in_tiles).same_bits(one));
    }
  }
  set_threads(before);
}

TEST_CASE("attention does not read what causal queries must not see") {
  // The last 20 of 150 keys hold NaN, as do the queries there, whose results are unused: their gradient is 0.
  Call<double> call{.lengths = {{150, 150}}, .heads = 2, .key_width = 4, .value_width = 4, .causal = true};
  call.draw();
  const auto seen = static_cast<std::ptrdiff_t>(130 * 8);
  std::fill(call.dy.begin() + seen, call.dy.end(), 0.0);
  Call<double> with_nan = call;
  for (std::vector<double>* x : {&with_nan.k, &with_nan.v})
    std::fill(x->begin() + seen, x->end(), std::numeric_limits<double>::quiet_NaN());
  const auto first = [&](const std::vector<double>& x) { return std::vector<double>(x.begin(), x.begin() + seen); };
  const AttentionByHead::Result reference = call.by_reference();
  for (const Index max_kept : {all_kept, all_in_tiles}) {
    const auto blocked = with_nan.run(max_kept);
    CHECK(Call<double>::error(first(blocked.y), first(reference.y)) < 1e-12);
    CHECK(Call<double>::error(first(blocked.dq), first(reference.dq)) < 1e-12);
  }
}
