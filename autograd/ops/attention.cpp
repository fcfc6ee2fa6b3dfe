#include "autograd/kernels/attention.h"

#include "autograd/ops.h"
#include "autograd/ops/attention_shape.h"

/// attention, self_attention and cross_attention, which differ only in the inputs that contain q, k and v. s is the
/// scale, M the mask plus the biases, and m dropout's mask divided by 1 - p. Products with m and P are elementwise; the
/// sum is over a row. For each sequence and head:
///     P = softmax(s q k^T + M),    y = (m P) v,    dv = (m P)^T dy,
///     dP = m (dy v^T),    dS = P (dP - sum(dP P)),    dq = s dS k,    dk = s dS^T q.
/// autograd/cases/attention_reference.h contains these formulas in plain loops. Long sequences are computed in tiles,
/// which recompute P from the log-sum-exp of each row of s q k^T + M, and use sum(dP P) = sum(dy y).
namespace glossa {

namespace {

using kernels::AttentionColumns;
using kernels::AttentionSaved;
using kernels::AttentionShape;
using kernels::Columns;

/// Position of q, k or v: the number of its input and its first column.
struct Place {
  int input;
  Index column;
};

/// q, k and v in the inputs of an op, of which the last contains v, and the width of one head.
struct Operands {
  Place q, k, v;
  Index key_width, value_width;
};

/// Numbers of an input, in T or in bf16.
template <class E, class T>
const E* elements(Context<T>& c, const Variable<T>& x) {
  if constexpr (std::is_same_v<E, T>)
    return c.read(x).data;
  else
    return c.factor(x).rounded;
}

/// Computes attention with operands and result in E, and records the derivative.
template <class E, class T>
Variable<T> attend_in(const AttentionCall<T>& call, OpInputs<T> inputs, const Operands& operands,
                      const AttentionShape<T>& shape, const Tensor<E>& y) {
  Context<T>& c = context_of<T>(call.op, inputs);
  const auto columns = [&](Place place) {
    const Variable<T>& x = *inputs.begin()[place.input];
    return Columns<const E>{elements<E>(c, x) + place.column, x.shape().cols()};
  };
  const AttentionColumns<const E> x{columns(operands.q), columns(operands.k), columns(operands.v)};

  const AttentionSaved<T> saved = attention_saved(c, call, shape, c.records(inputs));
  kernels::attention_forward(shape, x, saved, Columns<E>{y.data, y.cols()}, c.scratch({shape.scratch_size()}).data);
  if (call.weights) *call.weights = weights_by_query(c, shape, saved.weights);

  return c.record(call.op, inputs, y, [shape, operands, x, saved, y](Backward<T>& back) {
    Sink<T> sinks[3];  // an input that contains two or three of q, k and v has a single sink
    for (int i = 0; i <= operands.v.input; ++i) sinks[i] = back.optional_sink(i);
    const auto gradient = [&](Place place) {
      const Sink<T>& to = sinks[place.input];
      return to ? Columns<T>{to.grad.data + place.column, to.grad.cols(), to.add} : Columns<T>{};
    };
    const AttentionColumns<T> dx{gradient(operands.q), gradient(operands.k), gradient(operands.v)};
    const Tensor<const T> dy = back.dy();
    kernels::attention_backward(shape, x, saved, Columns<const E>{y.data, y.cols()},
                                Columns<const T>{dy.data, dy.cols()}, dx, back.scratch({shape.scratch_size()}).data);
  });
}

template <class T>
Variable<T> attend(const AttentionCall<T>& call, OpInputs<T> inputs, const Operands& operands) {
  Context<T>& c = context_of<T>(call.op, inputs);
  const Arena::Mark mark = c.scratch_mark();
  const AttentionShape<T> shape = attention_shape(c, call, operands.key_width, operands.value_width, c.rounds(inputs));
  const Shape result{shape.query.rows, shape.heads * shape.value_width};
  if constexpr (std::is_same_v<T, float>)
    if (shape.in_bf16) return attend_in(call, inputs, operands, shape, c.bf16_tensor(result));
  return attend_in(call, inputs, operands, shape, c.tensor(result));
}

}  // namespace

template <class T>
Variable<T> attention(const Variable<T>& q, const Variable<T>& k, const Variable<T>& v, const RowLayout& query,
                      const RowLayout& key, const AttentionOptions& options, const Tensor<T>* mask,
                      Tensor<T>* weights) {
  const AttentionCall<T> call{"attention", query, key, options, mask, weights};
  context_of(call.op, {q, k, v});
  const Index query_width = check_operand(call, "q", q, OperandRole::queries, 1, 0);
  const Index key_width = check_operand(call, "k", k, OperandRole::keys, 0, 1);
  const Index value_width = check_operand(call, "v", v, OperandRole::keys, 0, 1);
  check(query_width == key_width, call.op, "expected q and k with heads of equal width; got {} and {}", q.shape(),
        k.shape());
  return attend(call, {q, k, v}, {{0, 0}, {1, 0}, {2, 0}, key_width, value_width});
}

template <class T>
Variable<T> self_attention(const Variable<T>& qkv, const RowLayout& layout, const AttentionOptions& options,
                           const Tensor<T>* mask, Tensor<T>* weights) {
  const AttentionCall<T> call{"self_attention", layout, layout, options, mask, weights};
  context_of(call.op, {qkv});
  const Index width = check_operand(call, "qkv", qkv, OperandRole::queries, 1, 2);
  const Index keys = options.heads * width, values = keys + options.groups() * width;
  return attend(call, {qkv}, {{0, 0}, {0, keys}, {0, values}, width, width});
}

template <class T>
Variable<T> cross_attention(const Variable<T>& q, const Variable<T>& kv, const RowLayout& query, const RowLayout& key,
                            const AttentionOptions& options, const Tensor<T>* mask, Tensor<T>* weights) {
  const AttentionCall<T> call{"cross_attention", query, key, options, mask, weights};
  context_of(call.op, {q, kv});
  const Index width = check_operand(call, "q", q, OperandRole::queries, 1, 0);
  const Index key_width = check_operand(call, "kv", kv, OperandRole::keys, 0, 2);
  check(key_width == width, call.op, "expected q and kv with heads of equal width; got {} and {}", q.shape(),
        kv.shape());
  return attend(call, {q, kv}, {{0, 0}, {1, 0}, {1, options.groups() * width}, width, width});
}

#define GLOSSA_INSTANTIATE(T)                                                                                          \
  template Variable<T> attention(const Variable<T>&, const Variable<T>&, const Variable<T>&, const RowLayout&,         \
                                 const RowLayout&, const AttentionOptions&, const Tensor<T>*, Tensor<T>*);             \
  template Variable<T> self_attention(const Variable<T>&, const RowLayout&, const AttentionOptions&, const Tensor<T>*, \
                                      Tensor<T>*);                                                                     \
  template Variable<T> cross_attention(const Variable<T>&, const Variable<T>&, const RowLayout&, const RowLayout&,     \
                                       const AttentionOptions&, const Tensor<T>*, Tensor<T>*);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
