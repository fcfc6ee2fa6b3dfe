#include <complex>

#include "autograd/cases/layouts.h"

namespace glossa {

namespace {

/// Reference: pair i of a head at position p is a complex number; it is multiplied by exp(sqrt(-1) p base^(-2i/K)). The
/// first `columns` columns are heads.
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
  const auto on = [](const RowLayout& layout, Index head_width, Index columns, double base = 10000) {
    return [=](auto x) { return rotary(x[0], layout, head_width, columns, base); };
  };
  const auto row = [&](const char* what, Index width, const RowLayout& layout, Index head_width, Index columns,
                       double base = 10000) -> OpCase& {
    return cases.add(std::string("rotary.") + what, {{layout.rows, width}}, on(layout, head_width, columns, base))
        .reference(turned(layout, head_width, columns, base));
  };
  row("packed", 12, packed_2_3(), 4, 8)
      .error({{4, 12}}, {"5", "[4, 12]"})
      .error({{5, 12}}, on(beyond_5(), 4, 8), {"sequence 1"})
      .error({{5, 12}}, on(packed_2_3(), 3, 6), {"even", "3"})
      .error({{5, 12}}, on(packed_2_3(), 0, 0), {"even", "0"})
      .error({{5, 12}}, on(packed_2_3(), 4, 6), {"[5, 12]", "6"})
      .error({{5, 12}}, on(packed_2_3(), 4, 16), {"[5, 12]", "16"})
      .error({{5, 12}}, on(packed_2_3(), 4, 8, 0), {"base", "0"});
  row("padded", 12, padded_2_3(), 6, 12);
  row("another_base", 8, packed_2_3(), 8, 8, 2.5);
  row("no_columns", 4, packed_2_3(), 4, 0);
  RowLayout later = packed_4_1();
  later.first_position = 1000;
  row("later_position", 6, later, 2, 4);
  row("large", 120, packed_100_200(), 20, 80).sampling(6);

  // After a linear op, x's memory is reused. With Use::products, x and the result may be in bf16.
  const auto after_linear = [](const RowLayout& layout, Index head_width, Index columns, Use use) {
    return [=](auto x) { return rotary(linear(x[0], x[1], use), layout, head_width, columns, 10000, use); };
  };
  cases.add("rotary.of_linear", {{5, 3}, {12, 3}}, after_linear(packed_2_3(), 4, 8, Use::any));
  cases.add("rotary.for_products", {{6, 3}, {12, 3}}, after_linear(padded_2_3(), 4, 8, Use::products));
  cases.add("rotary.large_for_products", {{300, 3}, {120, 3}}, after_linear(packed_100_200(), 20, 80, Use::products))
      .sampling(6);
}

}  // namespace glossa
