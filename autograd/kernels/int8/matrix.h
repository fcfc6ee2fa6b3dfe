#pragma once

#include <cstdint>

#include "autograd/kernels/panel.h"

/// Matrices in int8: number = scale * code, with one scale per row. Codes are integers in [-127, 127].
namespace glossa::kernels::int8 {

using Code = std::int8_t;

/// Number of units in a row of `codes` codes. A unit holds four adjacent codes; codes of 0 fill up the last unit.
constexpr Index quads(Index codes) { return (codes + 3) / 4; }

/// The left factor [n, K] of a product, in the form that Kind::lay_out writes. Row i starts at units + i * stride.
struct Rows {
  const Unit* units = nullptr;
  Index stride = 0;
  const float* scales = nullptr;  // [n]

  explicit operator bool() const { return units != nullptr; }
  Rows from_row(Index row) const { return {units + row * stride, stride, scales + row}; }
};

/// A weight [outputs, inputs] in panels [quads, panel_columns]. Its rows are the columns of a product's right factor.
struct Weight {
  Index outputs, inputs;
  const Unit* panels;        // [panels(outputs), quads(inputs), panel_columns]
  const float* scales;       // [outputs]
  const std::int32_t* sums;  // [outputs]: sum of each row's codes

  /// The panel that begins with row `row`.
  const Unit* panel(Index row) const { return panels + row * quads(inputs); }
};

/// Number of units in all panels of a weight.
constexpr Index panel_units(Index outputs, Index inputs) {
  return kernels::panels(outputs) * panel_columns * quads(inputs);
}

}  // namespace glossa::kernels::int8
