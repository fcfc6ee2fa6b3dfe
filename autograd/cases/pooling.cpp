#include "autograd/cases/layouts.h"

namespace glossa {

namespace {

/// Reference: for each sequence, the sum of weight(sequence, t) times row t.
template <class Weight>
Reference pooled(RowLayout layout, Weight weight) {
  return [layout, weight](InputNumbers x) {
    const Index d = x[0].cols();
    std::vector<double> y(layout.sequence_count() * d);
    for (Index b = 0; b < layout.sequence_count(); ++b)
      for (Index t = 0; t < layout.sequences[b].length; ++t)
        for (Index j = 0; j < d; ++j)
          y[b * d + j] += weight(layout.sequences[b], t) * x[0].row(layout.sequences[b].offset + t)[j];
    return y;
  };
}

/// Sequences of 2, 0 and 1 rows.
RowLayout with_an_empty_one() { return layout_of<3, RowSpan{0, 2}, RowSpan{2, 0}, RowSpan{2, 1}>(); }

/// Adds the rows of one pooling op: packed, padded, and large enough for several threads.
template <class Call, class Weight>
void add_pooling(OpCases& cases, const std::string& op, Call call, Weight weight) {
  const auto on = [&](const RowLayout& layout) { return [=](auto x) { return call(x[0], layout); }; };
  const auto row = [&](const char* what, Index width, const RowLayout& layout) -> OpCase& {
    return cases.add(op + "." + what, {{layout.rows, width}}, on(layout)).reference(pooled(layout, weight));
  };
  row("packed", 3, packed_2_3()).error({{4, 3}}, {"5", "[4, 3]"}).error({{5, 3}}, on(beyond_5()), {"sequence 1"});
  row("padded", 2, padded_2_3());
  row("large", 70, packed_100_200()).sampling(6);
}

}  // namespace

void add_pooling_cases(OpCases& cases) {
  const auto mean = [](auto x, const RowLayout& layout) { return mean_pool(x, layout); };
  const auto share = [](const RowSpan& sequence, Index) { return 1.0 / static_cast<double>(sequence.length); };
  add_pooling(cases, "mean_pool", mean, share);
  cases.add("mean_pool.empty_sequence", {{3, 2}}, [](auto x) { return mean_pool(x[0], with_an_empty_one()); })
      .reference(pooled(with_an_empty_one(), share));

  // An empty sequence has no first or last row.
  const auto first = [](auto x, const RowLayout& layout) { return first_pool(x, layout); };
  const auto is_first = [](const RowSpan&, Index t) { return t == 0 ? 1.0 : 0.0; };
  add_pooling(cases, "first_pool", first, is_first);
  cases.add("first_pool.one_row", {{1, 2}}, [](auto x) { return first_pool(x[0], one_of_1()); })
      .error({{3, 2}}, [](auto x) { first_pool(x[0], with_an_empty_one()); }, {"sequence 1"});
  const auto last = [](auto x, const RowLayout& layout) { return last_pool(x, layout); };
  const auto is_last = [](const RowSpan& sequence, Index t) { return t == sequence.length - 1 ? 1.0 : 0.0; };
  add_pooling(cases, "last_pool", last, is_last);
  cases.add("last_pool.one_row", {{1, 2}}, [](auto x) { return last_pool(x[0], one_of_1()); })
      .error({{3, 2}}, [](auto x) { last_pool(x[0], with_an_empty_one()); }, {"sequence 1"});
}

}  // namespace glossa
