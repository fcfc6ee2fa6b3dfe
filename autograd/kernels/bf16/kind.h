#pragma once

#include "autograd/kernels/bf16/bf16.h"
#include "autograd/kernels/panel.h"

/// Products of factors in bf16, summed in float. A kind is one implementation of their innermost loops; product.h cuts
/// products into blocks for a kind.
namespace glossa::kernels::bf16 {

/// Two factors that are adjacent along the summed axis, the first in the lower half.
using Pair = Unit;

constexpr Pair pair_of(Bf16 first, Bf16 second) { return first.bits | Pair{second.bits} << 16; }

/// The left factor: pair p of row i is data[i * row + p * pair].
struct LeftPairs {
  const Pair* data;
  Index row, pair;
};

/// One implementation. All kinds round alike. The kinds `plain` and `avx512` also sum in the same order. Their bits
/// agree unless a product overflows or is subnormal; only `plain` rounds such a product before adding it.
struct Kind {
  const char* name;
  bool left_in_rows;  // true: `multiply` expects LeftPairs with pair = 1

  /// to[i] = from[i] in bf16.
  void (*round)(Index count, const float* from, Bf16* to);

  /// to[i] = (even[i], odd[i]): a row of pairs from two rows of a matrix. A null `odd` counts as zeros.
  /// round_interleave also rounds to bf16.
  void (*interleave)(Index count, const Bf16* even, const Bf16* odd, Pair* to);
  void (*round_interleave)(Index count, const float* even, const float* odd, Pair* to);

  /// to[j * to_stride + i] = from[i * from_stride + j], for rows x cols pairs.
  void (*transpose)(Index rows, Index cols, const Pair* from, Index from_stride, Pair* to, Index to_stride);

  /// C [rows, cols] = A B, or += if `add`, for at most one panel of columns.
  void (*multiply)(Index rows, Index cols, Index pairs, const LeftPairs& a, const Pair* b, bool add, float* c,
                   Index stride);
};

const Kind& plain();
const Kind& avx512();
const Kind& amx();

/// The kind for this processor, or the one selected by GLOSSA_ISA (see processor.h).
const Kind& kind();

}  // namespace glossa::kernels::bf16
