#pragma once

namespace glossa {

/// Form of the factors of matrix products. Everything else, including sums in full precision and bf16, uses the
/// context's scalar type.
enum class Precision {
  full,  // the scalar type
  bf16,  // bfloat16, if the scalar type is float
  int8   // in linear layers without recording, integers with one scale per row; other products use full precision
};

}  // namespace glossa
