#pragma once

namespace glossa::kernels {

/// Multiplies once with each kernel of the current GEMM library. oneDNN generates their code at the first use, and may
/// crash if it has no memory then. So this function first makes sure of enough memory; throws Error if it is missing.
void prepare_gemm();

}  // namespace glossa::kernels
