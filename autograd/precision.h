#pragma once

namespace glossa {

/// The form of the factors of matrix products. Sums and everything else are in the context's scalar type.
enum class Precision {
  full,  // the scalar type
  bf16   // bfloat16, if the scalar type is float
};

}  // namespace glossa
