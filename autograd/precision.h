#pragma once

namespace glossa {

/// The form of the factors of matrix products. Sums in full precision and bf16, and everything else, are in the
/// context's scalar type.
enum class Precision {
  full,  // the scalar type
  bf16,  // bfloat16, if the scalar type is float
  int8   // in linear layers without recording, integers with a scale per row; other products are in full precision
};

}  // namespace glossa
