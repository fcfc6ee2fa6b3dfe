#pragma once

#include "autograd/kernels/int8/kind.h"

namespace glossa::kernels::int8 {

/// Quantizes x [rows, inputs] into `units` [rows, quads(inputs)] and `scales` [rows], on all threads.
Rows quantize_rows(const Kind& kind, Index rows, Index inputs, const float* x, Unit* units, float* scales);

/// C [rows, cols] = X W^T on one thread. W consists of the weight's rows from `first` on, which must be the first row
/// of a panel. An element is a sum of products of codes, times both scales.
void tile(const Kind& kind, Index rows, Index first, Index cols, const Rows& x, const Weight& w, float* c,
          Index stride);

}  // namespace glossa::kernels::int8
