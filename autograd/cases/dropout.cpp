#include "autograd/cases/layouts.h"
#include "autograd/cases/reference.h"

namespace glossa {

void add_dropout_cases(OpCases& cases) {
  const auto row_by_row = [](double p, const RowLayout& layout) {
    return [=](auto x) { return dropout(x[0], p, layout); };
  };
  cases.add("dropout.plain", {{2, 3, 4}}, [](auto x) { return dropout(x[0], 0.3); })
      .error({{2, 3}}, [](auto x) { dropout(x[0], -0.1); }, {"-0.1"})
      .error({{2, 3}}, [](auto x) { dropout(x[0], 1.5); }, {"1.5"});
  cases.add("dropout.nothing_dropped", {{2, 3}}, [](auto x) { return dropout(x[0], 0.0); }).reference(same);
  cases.add("dropout.all_dropped", {{2, 3}}, [](auto x) { return dropout(x[0], 1.0); })
      .reference(by_element(6, [](auto, Index) { return 0.0; }))
      .with_zero_gradient();
  cases.add("dropout.twice", {{3, 4}}, [](auto x) { return dropout(dropout(x[0], 0.2), 0.3); });
  cases.add("dropout.packed", {{5, 6}}, row_by_row(0.3, packed_2_3()))
      .error({{4, 6}}, {"[4, 6]", "5"})
      .error({{5, 6}}, row_by_row(0, overlapping_of_5()), {"sequence 1"})
      .error({{5, 6}}, row_by_row(0, beyond_5()), {"sequence 1"});
  cases.add("dropout.padded", {{6, 6}}, row_by_row(0.3, padded_2_3()));
  cases.add("dropout.size_zero", {{0, 3}}, [](auto x) { return dropout(x[0], 0.3); });
  cases.add("dropout.large", {{700, 30}}, [](auto x) { return dropout(x[0], 0.3); }).sampling(8);

  const auto added = [](double p, const RowLayout& layout) {
    return [=](auto x) { return add_dropout(x[0], x[1], p, layout); };
  };
  cases.add("add_dropout.packed", {{5, 4}, {5, 4}}, added(0.3, packed_2_3()))
      .error({{5, 4}, {5, 3}}, {"[5, 4]", "[5, 3]"})
      .error({{4, 4}, {4, 4}}, {"[4, 4]", "5"})
      .error({{5, 4}, {5, 4}}, added(2, packed_2_3()), {"2"})
      .error({{5, 4}, {5, 4}}, added(0, overlapping_of_5()), {"sequence 1"})
      .error({{5, 4}, {5, 4}}, added(0, beyond_5()), {"sequence 1"});
  cases.add("add_dropout.padded", {{6, 4}, {6, 4}}, added(0.3, padded_2_3()));
  cases.add("add_dropout.nothing_dropped", {{5, 4}, {5, 4}}, added(0, packed_2_3()))
      .reference(by_element(20, [](InputNumbers x, Index i) { return x[0][i] + x[1][i]; }));
  cases.add("add_dropout.all_dropped", {{5, 4}, {5, 4}}, added(1, packed_2_3())).reference(same);
}

}  // namespace glossa
