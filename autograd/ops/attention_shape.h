#pragma once

#include "autograd/kernels/attention.h"
#include "autograd/ops.h"

namespace glossa {

/// Arguments that attention, self_attention and cross_attention share.
template <class T>
struct AttentionCall {
  const char* op;
  const RowLayout& query;
  const RowLayout& key;
  const AttentionOptions& options;
  const Tensor<T>* mask;
  Tensor<T>* weights;
};

/// The rows that an operand of attention has.
enum class OperandRole { queries, keys };

/// Checks an operand that holds, side by side, the heads of `of_queries` matrices of queries and `of_keys` matrices of
/// keys or values. Returns the width of a head. Several sequences may read the same keys unless the keys get a
/// gradient, because heads write gradients concurrently.
template <class T>
Index check_operand(const AttentionCall<T>& call, const char* what, const Variable<T>& x, OperandRole role,
                    Index of_queries, Index of_keys);

/// Converts a call to the kernels' form, in the step's memory: layouts, options, mask, slopes and, in training, the
/// dropout mask of the kept weights. If the weights are saved in bf16, this mask is in scratch, which must last until
/// the end of the forward pass. Throws if the layouts or options are invalid.
template <class T>
kernels::AttentionShape<T> attention_shape(Context<T>& c, const AttentionCall<T>& call, Index key_width,
                                           Index value_width, bool in_bf16);

/// Allocates the memory for everything that the derivative reads, or that `call.weights` requests.
template <class T>
kernels::AttentionSaved<T> attention_saved(Context<T>& c, const AttentionCall<T>& call,
                                           const kernels::AttentionShape<T>& shape, bool needs_gradient);

/// Converts weights to the caller's layout: from [heads, Tk, padded(Tq)] to [heads, Tq, Tk] for each sequence.
template <class T>
Tensor<T> weights_by_query(Context<T>& c, const kernels::AttentionShape<T>& shape, const T* weights);

}  // namespace glossa
