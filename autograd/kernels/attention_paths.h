#pragma once

#include "autograd/kernels/attention.h"

/// The ways to compute attention, for attention.cpp, which chooses: each does heads [first, last) of sequence b, or all
/// of them. Scratch sizes are in elements.
namespace glossa::kernels {

// ---- few queries, as in decoding: one by one (attention_few.cpp); no derivative of its own ----

template <class T>
Index few_scratch_size(const AttentionShape<T>& shape, Index b);

template <class T>
void few_forward(const AttentionShape<T>& shape, Index b, Index first, Index last, const AttentionColumns<const T>& x,
                 T* weights, Columns<T> out, T* scratch);

// ---- all weights of a head at once (attention_whole.cpp); one thread ----

template <class T>
Index whole_scratch_size(const AttentionShape<T>& shape, Index b);

template <class T>
void whole_forward(const AttentionShape<T>& shape, Index b, Index first, Index last, const AttentionColumns<const T>& x,
                   T* weights, Columns<T> out, T* scratch);

template <class T>
void whole_backward(const AttentionShape<T>& shape, Index b, Index first, Index last,
                    const AttentionColumns<const T>& x, const T* weights, Columns<const T> dout,
                    const AttentionColumns<T>& dx, T* scratch);

// ---- in tiles (attention_tiles_*.cpp); all threads, for all heads of a sequence ----

template <class T>
Index tiles_scratch_size(const AttentionShape<T>& shape, Index b);

template <class T>
void tiles_forward(const AttentionShape<T>& shape, Index b, const AttentionColumns<const T>& x, T* log_sums,
                   Columns<T> out, T* scratch);

template <class T>
void tiles_backward(const AttentionShape<T>& shape, Index b, const AttentionColumns<const T>& x, const T* log_sums,
                    Columns<const T> out, Columns<const T> dout, const AttentionColumns<T>& dx, T* scratch);

}  // namespace glossa::kernels
