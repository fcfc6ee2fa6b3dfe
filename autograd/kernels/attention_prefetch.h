#pragma once

#include <type_traits>

#include "autograd/kernels/attention_paths.h"

namespace glossa::kernels {

/// Prefetches some heads' columns in a sequence's rows, because the processor does not predict their strides.
template <class E>
void prefetch(const Columns<E>& matrix, const RowSpan& rows, const HeadRange& heads, Index width) {
  constexpr Index line = 64 / sizeof(E);
  for (Index i = 0; matrix.data && i < rows.length; ++i)
    for (Index j = heads.first * width; j < heads.last * width; j += line)
      __builtin_prefetch(matrix.data + (rows.offset + i) * matrix.stride + j, std::is_const_v<E> ? 0 : 1, 2);
}

/// Prefetches these columns of q, k and v, or of their gradients.
template <class T, class E>
void prefetch(const AttentionShape<T>& shape, const AttentionColumns<E>& x, const HeadRange& heads) {
  prefetch(x.q, shape.query.sequences[heads.sequence], heads, shape.key_width);
  const HeadRange key_heads = heads.of_keys(shape.group_size());
  prefetch(x.k, shape.key.sequences[heads.sequence], key_heads, shape.key_width);
  prefetch(x.v, shape.key.sequences[heads.sequence], key_heads, shape.value_width);
}

/// Prefetches everything that the derivative reads or writes in the callers' matrices.
template <class T>
void prefetch(const AttentionShape<T>& shape, const AttentionColumns<const T>& x, const Columns<const T>& dy,
              const AttentionColumns<T>& dx, const HeadRange& heads) {
  prefetch(shape, x, heads);
  prefetch(dy, shape.query.sequences[heads.sequence], heads, shape.value_width);
  prefetch(shape, dx, heads);
}

}  // namespace glossa::kernels
