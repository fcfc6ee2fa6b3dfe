#pragma once

namespace glossa {

/// Number format of the factors of matrix products. Their sums and everything else use the context's scalar type,
/// except that int8 products are summed in int32.
enum class Precision {
  full,  // numbers of the scalar type
  bf16,  // bfloat16, if the scalar type is float
  int8   // in linear layers, integers with one scale per row, if nothing is recorded; other products use full precision
};

}  // namespace glossa
