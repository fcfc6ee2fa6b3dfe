#include "autograd/cases/reference.h"

namespace glossa {

namespace {

constexpr bool six[] = {true, false, true, true, false, false}, three[] = {true, false, true};

}  // namespace

void add_masking_cases(OpCases& cases) {
  cases.add("masked_fill.same_shape", {{2, 3}}, [](auto x) { return masked_fill(x[0], six, -7.5); })
      .reference(by_element(6, [](InputNumbers x, Index i) { return six[i] ? -7.5 : x[0][i]; }))
      .error({{2, 4}}, {"[2, 4]", "6"})
      .error({{3, 2}}, [](auto x) { masked_fill(x[0], three, 0.0); }, {"[3, 2]", "3"});
  cases.add("masked_fill.trailing_axis", {{2, 2, 3}}, [](auto x) { return masked_fill(x[0], three, 0.0); })
      .reference(by_element(12, [](InputNumbers x, Index i) { return three[i % 3] ? 0 : x[0][i]; }));
  cases
      .add("masked_fill.all_filled", {{2, 2}},
           [](auto x) {
             static constexpr bool all[] = {true, true, true, true};
             return masked_fill(x[0], all, 1.0);
           })
      .with_zero_gradient();
  cases.add("where.plain", {{2, 3}, {2, 3}}, [](auto x) { return where(six, x[0], x[1]); })
      .reference(by_element(6, [](InputNumbers x, Index i) { return six[i] ? x[0][i] : x[1][i]; }))
      .error({{2, 3}, {3, 2}}, {"[2, 3]", "[3, 2]"})
      .error({{2, 4}, {2, 4}}, [](auto x) { where(three, x[0], x[1]); }, {"[2, 4]", "3"})
      .error({{}, {3}}, {"[3]", "6"});
  cases.add("where.broadcast", {{2, 1}, {3}}, [](auto x) { return where(six, x[0], x[1]); })
      .reference(by_element(6, [](InputNumbers x, Index i) { return six[i] ? x[0][i / 3] : x[1][i % 3]; }));
  cases.add("where.scalar", {{2, 3}, {}}, [](auto x) { return where(three, x[0], x[1]); })
      .reference(by_element(6, [](InputNumbers x, Index i) { return three[i % 3] ? x[0][i] : x[1][0]; }));
  static const std::vector<bool> bits(six, six + 6);
  cases.add("where.bits", {{2, 3}, {2, 3}}, [](auto x) { return where(bits, masked_fill(x[0], bits, 0.5), x[1]); })
      .reference(by_element(6, [](InputNumbers x, Index i) { return six[i] ? 0.5 : x[1][i]; }));
}

}  // namespace glossa
