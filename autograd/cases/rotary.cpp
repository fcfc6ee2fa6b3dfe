#include <complex>

#include "autograd/cases/layouts.h"

namespace glossa {

namespace {

/// Reference: pair i of a head at position p is a complex number, multiplied by exp(sqrt(-1) p base^(-2i/K)). The first
/// `columns` columns are heads.
Reference turned(RowLayout layout, Index head_width, Index columns, double base = 10000) {
  return [=](InputNumbers x) {
    std::vector<double> y(x[0].size());
    for (const RowSpan& sequence : layout.sequences)
      for (Index t = 0; t < sequence.length; ++t) {
        const Index row = sequence.offset + t;
        double* const to = y.data() + row * x[0].cols();
        std::copy_n(x[0].row(row), x[0].cols(), to);
        for (Index j = 0; j < columns; j += 2) {
          const double exponent = static_cast<double>(j % head_width) / static_cast<double>(head_width);
          const double angle = static_cast<double>(layout.first_position + t) / std::pow(base, exponent);
          const std::complex<double> z = std::complex(to[j], to[j + 1]) * std::polar(1.0, angle);
          to[j] = z.real();
          to[j + 1] = z.imag();
        }
      }
    return y;
  };
}

}  // namespace

void add_rotary_cases(OpCases& cases) {
  const auto on = [](const RowLayout& layout, Index head_width, Index columns, double base = 10000,
                     Use use = Use::any) {
    return [=](auto x) { return rotary(x[0], layout, head_width, columns, base, use); };
  };
  cases.add("rotary.packed", {{5, 12}}, on(packed_2_3(), 4, 8))
      .reference(turned(packed_2_3(), 4, 8))
      .error({{4, 12}}, on(packed_2_3(), 4, 8), {"5", "[4, 12]"})
      .error({{5, 12}}, on(beyond_5(), 4, 8), {"sequence 1"})
      .error({{5, 12}}, on(packed_2_3(), 3, 6), {"even", "3"})
      .error({{5, 12}}, on(packed_2_3(), 0, 0), {"even", "0"})
      .error({{5, 12}}, on(packed_2_3(), 4, 6), {"[5, 12]", "6"})
      .error({{5, 12}}, on(packed_2_3(), 4, 16), {"[5, 12]", "16"})
      .error({{5, 12}}, on(packed_2_3(), 4, 8, 0), {"base", "0"});
  cases.add("rotary.padded", {{6, 12}}, on(padded_2_3(), 6, 12)).reference(turned(padded_2_3(), 6, 12));
  cases.add("rotary.another_base", {{5, 8}}, on(packed_2_3(), 8, 8, 2.5)).reference(turned(packed_2_3(), 8, 8, 2.5));
  cases.add("rotary.no_columns", {{5, 4}}, on(packed_2_3(), 4, 0)).reference(turned(packed_2_3(), 4, 0));
  RowLayout later = packed_4_1();
  later.first_position = 1000;
  cases.add("rotary.later_position", {{5, 6}}, on(later, 2, 4)).reference(turned(later, 2, 4));
  cases.add("rotary.large", {{300, 120}}, on(packed_100_200(), 20, 80))
      .reference(turned(packed_100_200(), 20, 80))
      .sampling(6);

  // After a linear op, x's memory is reused; for products, x and the result may be in bf16.
  const auto after_linear = [](const RowLayout& layout, Use use) {
    return [=](auto x) { return rotary(linear(x[0], x[1], use), layout, 4, 8, 10000, use); };
  };
  cases.add("rotary.of_linear", {{5, 3}, {12, 3}}, after_linear(packed_2_3(), Use::any));
  cases.add("rotary.for_products", {{6, 3}, {12, 3}}, after_linear(padded_2_3(), Use::products));
  cases
      .add("rotary.large_for_products", {{300, 3}, {120, 3}},
           [](auto x) {
             return rotary(linear(x[0], x[1], Use::products), packed_100_200(), 20, 80, 10000, Use::products);
           })
      .sampling(6);
}

}  // namespace glossa
