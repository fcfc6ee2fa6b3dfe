#include "autograd/kernels/attention.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "autograd/kernels/pack.h"
#include "autograd/ops.h"
#include "autograd/ops/dropout_mask.h"

namespace glossa {

namespace {

using kernels::AttentionColumns;
using kernels::AttentionSaved;
using kernels::AttentionShape;
using kernels::Columns;

/// The arguments that attention, self_attention and cross_attention share.
template <class T>
struct Call {
  const char* op;
  const RowLayout& query;
  const RowLayout& key;
  const AttentionOptions& options;
  const Tensor<T>* mask;
  Tensor<T>* weights;
};

/// Input number and first column of q, k or v.
struct Place {
  int input;
  Index column;
};

/// q, k and v in the inputs of an op, and the width of one head.
struct Operands {
  Place q, k, v;
  Index key_width, value_width;
};

RowLayout keep_layout(auto& context, RowLayout layout) {
  layout.sequences = context.keep(layout.sequences);
  layout.sequence_ids = context.keep(layout.sequence_ids);
  return layout;
}

/// For each sequence, the kept weights of a head, summed over earlier sequences; at the end, the sum over all
/// sequences.
template <class T>
std::span<const Index> count_cells(Context<T>& c, const AttentionShape<T>& shape) {
  const std::span<Index> cells = c.template array<Index>(shape.query.sequence_count() + 1);
  cells[0] = 0;
  for (Index b = 0; b < shape.query.sequence_count(); ++b) {
    const Index kept = shape.key.sequences[b].length * kernels::padded<T>(shape.query.sequences[b].length);
    cells[b + 1] = cells[b] + (shape.in_tiles(b) ? 0 : kept);
  }
  return cells;
}

/// The caller's mask [T, S] as the kernels read it: [S, padded(T)] for the longest sequences.
template <class T>
Tensor<T> mask_by_key(Context<T>& c, const Call<T>& call) {
  const Tensor<T>& mask = *call.mask;
  Index max_rows = 0, max_keys = 0;
  for (Index b = 0; b < call.query.sequence_count(); ++b) {
    const Index rows = call.query.sequences[b].length, keys = call.key.sequences[b].length;
    check(mask.shape.rank() == 2 && rows <= mask.rows() && keys <= mask.cols(), call.op,
          "expected a mask of at least [{}, {}]; got {}", rows, keys, mask.shape);
    max_rows = std::max(max_rows, rows);
    max_keys = std::max(max_keys, keys);
  }
  const Tensor<T> result = c.tensor({max_keys, kernels::padded<T>(max_rows)});
  kernels::Bump<T> memory{result.data};
  kernels::transposed_panel(max_rows, max_keys, Columns<const T>{mask.data, mask.cols()}, memory);
  return result;
}

/// Draws the dropout mask of the kept weights; tiles draw their own part later. The mask of weights that are saved in
/// bf16 lasts until the op's scratch is released: these weights carry it.
template <class T>
void draw_dropout(Context<T>& c, double probability, AttentionShape<T>& shape) {
  const kernels::DropoutSite site(c.random_key(), c.next_random_site(), probability);
  const Index size = shape.heads * shape.cells.back();
  constexpr auto bytes = static_cast<Index>(sizeof(T));
  const Index elements = (size + bytes - 1) / bytes;
  const std::span keep = shape.saves_in_bf16 ? std::span(reinterpret_cast<std::uint8_t*>(c.scratch({elements}).data),
                                                         static_cast<std::size_t>(size))
                                             : c.template array<std::uint8_t>(size);
  kernels::attention_dropout_mask(keep, shape.heads, shape.cells, kernels::Lanes<T>::count, site, shape.query,
                                  shape.key);
  shape.keep = keep;
  shape.dropout = site;
  shape.keep_scale = static_cast<T>(site.keep_scale());
}

/// ALiBi's slope of a head (see AttentionOptions).
double slope_of(Index head, Index heads) {
  const double power = static_cast<double>(std::bit_floor(static_cast<std::uint64_t>(heads))), h = double(head);
  if (h < power) return std::exp2(-8 * (h + 1) / power);
  return std::exp2(-8 * (h - power + 0.5) / power);
}

template <class T>
AttentionShape<T> prepare(Context<T>& c, const Call<T>& call, const Operands& operands, bool in_bf16) {
  const AttentionOptions& options = call.options;
  check(call.query.sequence_count() == call.key.sequence_count(), call.op,
        "expected equally many query and key sequences; got {} and {}", call.query.sequence_count(),
        call.key.sequence_count());
  check_probability(call.op, options.dropout);
  check(std::isfinite(options.scale), call.op, "expected a finite scale; got {}", options.scale);
  const double scale = options.scale != 0 ? options.scale : 1 / std::sqrt(double(operands.key_width));
  AttentionShape<T> shape{.query = keep_layout(c, call.query),
                          .key = keep_layout(c, call.key),
                          .heads = options.heads,
                          .key_heads = options.groups(),
                          .key_width = operands.key_width,
                          .value_width = operands.value_width,
                          .causal = options.causal,
                          .scale = static_cast<T>(scale),
                          .in_bf16 = in_bf16,
                          .saves_in_bf16 = in_bf16 && !call.weights};
  // A mask or requested weights are as large as all weights, so tiles would not save memory.
  if (call.mask || call.weights) shape.max_kept = std::numeric_limits<Index>::max();
  shape.cells = count_cells(c, shape);
  if (call.mask) shape.mask = mask_by_key(c, call);
  if (options.alibi) {
    const std::span<T> slopes = c.template array<T>(options.heads);
    for (Index h = 0; h < options.heads; ++h) slopes[h] = static_cast<T>(slope_of(h, options.heads));
    shape.slopes = slopes;
  }
  if (c.training() && options.dropout > 0) draw_dropout(c, options.dropout, shape);
  return shape;
}

/// The weights in the caller's layout, [heads, Tq, Tk] for each sequence, from [heads, Tk, padded(Tq)].
template <class T>
Tensor<T> by_query(Context<T>& c, const AttentionShape<T>& shape, const T* weights) {
  Index size = 0;
  for (Index b = 0; b < shape.query.sequence_count(); ++b)
    size += shape.heads * shape.query.sequences[b].length * shape.key.sequences[b].length;
  const Tensor<T> result = c.tensor({size});
  T* to = result.data;
  for (Index b = 0; b < shape.query.sequence_count(); ++b) {
    const Index rows = shape.query.sequences[b].length, keys = shape.key.sequences[b].length;
    const Index width = kernels::padded<T>(rows);
    const T* head = weights + shape.heads * shape.cells[b];
    for (Index h = 0; h < shape.heads; ++h, head += keys * width)
      for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < keys; ++j) *to++ = shape.causal && j > i ? T{0} : head[j * width + i];
  }
  return result;
}

/// The numbers of an input: in T, or in bf16.
template <class E, class T>
const E* elements(Context<T>& c, const Variable<T>& x) {
  if constexpr (std::is_same_v<E, T>)
    return c.read(x).data;
  else
    return c.factor(x).rounded;
}

/// The three forms differ only in the inputs that contain q, k and v. For each sequence and head, with the scale s, the
/// mask M, which includes the biases, and m, dropout's mask divided by 1 - p (products with m and P are elementwise,
/// the sum is over a row):
///     P = softmax(s q k^T + M),    y = (m P) v,    dv = (m P)^T dy,
///     dP = m (dy v^T),    dS = P (dP - sum(dP P)),    dq = s dS k,    dk = s dS^T q.
/// autograd/cases/attention_reference.h contains these formulas in plain loops. Tiles, which do not keep P, recompute P
/// from log sum_j exp(S_j), and use sum(dP P) = sum(dy y).
template <class E, class T>
Variable<T> attend_in(const Call<T>& call, std::initializer_list<Variable<T>> inputs, const Operands& operands,
                      const AttentionShape<T>& shape, const Tensor<E>& y) {
  Context<T>& c = context_of(call.op, inputs);
  const auto columns = [&](Place place) {
    const Variable<T>& x = inputs.begin()[place.input];
    return Columns<const E>{elements<E>(c, x) + place.column, x.shape().cols()};
  };
  const AttentionColumns<const E> x{columns(operands.q), columns(operands.k), columns(operands.v)};

  bool needs_gradient = false;
  for (const Variable<T>& input : inputs) needs_gradient |= input.requires_grad();
  AttentionSaved<T> saved;
  const Shape kept{shape.heads * shape.cells.back()};
  if (shape.saves_in_bf16)
    saved.rounded = c.bf16_tensor(kept).data;
  else if (needs_gradient || call.weights)
    saved.weights = c.tensor(kept).data;
  if (needs_gradient && shape.any_in_tiles()) saved.log_sums = c.tensor({shape.heads, shape.query.rows}).data;
  kernels::attention_forward(shape, x, saved, Columns<E>{y.data, y.cols()}, c.scratch({shape.scratch_size()}).data);
  if (call.weights) *call.weights = by_query(c, shape, saved.weights);

  AttentionShape<T> kept_shape = shape;
  if (shape.saves_in_bf16) kept_shape.keep = {};
  return c.record(call.op, inputs, y, [shape = kept_shape, operands, x, saved, y](Backward<T>& back) {
    // An input that contains several of q, k and v has one sink.
    Sink<T> sinks[3];
    bool asked[3] = {};
    const auto gradient = [&](Place place) {
      if (!back.needs(place.input)) return Columns<T>{};
      if (!asked[place.input]) sinks[place.input] = back.sink(place.input);
      asked[place.input] = true;
      const Sink<T>& to = sinks[place.input];
      return Columns<T>{to.grad.data + place.column, to.grad.cols(), to.add};
    };
    const AttentionColumns<T> dx{gradient(operands.q), gradient(operands.k), gradient(operands.v)};
    const Tensor<const T> dy = back.dy();
    kernels::attention_backward(shape, x, saved, Columns<const E>{y.data, y.cols()},
                                Columns<const T>{dy.data, dy.cols()}, dx, back.scratch({shape.scratch_size()}).data);
  });
}

template <class T>
Variable<T> attend(const Call<T>& call, std::initializer_list<Variable<T>> inputs, const Operands& operands) {
  Context<T>& c = context_of(call.op, inputs);
  const Arena::Mark mark = c.scratch_mark();
  const AttentionShape<T> shape = prepare(c, call, operands, c.rounds(inputs));
  const Shape result{shape.query.rows, shape.heads * shape.value_width};
  if constexpr (std::is_same_v<T, float>)
    if (shape.in_bf16) return attend_in(call, inputs, operands, shape, c.bf16_tensor(result));
  return attend_in(call, inputs, operands, shape, c.tensor(result));
}

enum class Role { queries, keys };

/// Checks an operand with the heads of `of_queries` matrices of queries and `of_keys` matrices of keys or values side
/// by side; returns the width of a head. Several sequences may read the same keys, unless the keys get a gradient,
/// because heads write gradients concurrently.
template <class T>
Index check_operand(const Call<T>& call, const char* what, const Variable<T>& x, Role role, Index of_queries,
                    Index of_keys) {
  const RowLayout& layout = role == Role::keys ? call.key : call.query;
  const Index heads = call.options.heads, key_heads = call.options.groups();
  check(x.shape().rank() == 2 && x.shape().rows() == layout.rows, call.op,
        "expected {} [{}, D], the rows of its sequences; got {}", what, layout.rows, x.shape());
  check_layout(call.op, layout, x.shape(), role == Role::keys && !x.requires_grad());
  check(heads >= 1, call.op, "expected at least 1 head; got {}", heads);
  check(key_heads >= 1 && heads % key_heads == 0, call.op, "expected key_heads that divide the {} heads, or 0; got {}",
        heads, key_heads);
  const Index side_by_side = of_queries * heads + of_keys * key_heads;
  check(x.shape().cols() % side_by_side == 0, call.op,
        "expected {} [{}, D] with D a multiple of {}, for {} heads{}; got {}", what, layout.rows, side_by_side, heads,
        key_heads == heads ? "" : fmt::format(", {} of keys", key_heads), x.shape());
  return x.shape().cols() / side_by_side;
}

}  // namespace

template <class T>
Variable<T> attention(const Variable<T>& q, const Variable<T>& k, const Variable<T>& v, const RowLayout& query,
                      const RowLayout& key, const AttentionOptions& options, const Tensor<T>* mask,
                      Tensor<T>* weights) {
  const Call<T> call{"attention", query, key, options, mask, weights};
  context_of(call.op, {q, k, v});
  const Index query_width = check_operand(call, "q", q, Role::queries, 1, 0);
  const Index key_width = check_operand(call, "k", k, Role::keys, 0, 1);
  const Index value_width = check_operand(call, "v", v, Role::keys, 0, 1);
  check(query_width == key_width, call.op, "expected q and k with heads of equal width; got {} and {}", q.shape(),
        k.shape());
  return attend(call, {q, k, v}, {{0, 0}, {1, 0}, {2, 0}, key_width, value_width});
}

template <class T>
Variable<T> self_attention(const Variable<T>& qkv, const RowLayout& layout, const AttentionOptions& options,
                           const Tensor<T>* mask, Tensor<T>* weights) {
  const Call<T> call{"self_attention", layout, layout, options, mask, weights};
  context_of(call.op, {qkv});
  const Index width = check_operand(call, "qkv", qkv, Role::queries, 1, 2);
  const Index keys = options.heads * width, values = keys + options.groups() * width;
  return attend(call, {qkv}, {{0, 0}, {0, keys}, {0, values}, width, width});
}

template <class T>
Variable<T> cross_attention(const Variable<T>& q, const Variable<T>& kv, const RowLayout& query, const RowLayout& key,
                            const AttentionOptions& options, const Tensor<T>* mask, Tensor<T>* weights) {
  const Call<T> call{"cross_attention", query, key, options, mask, weights};
  context_of(call.op, {q, kv});
  const Index width = check_operand(call, "q", q, Role::queries, 1, 0);
  const Index key_width = check_operand(call, "kv", kv, Role::keys, 0, 2);
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
