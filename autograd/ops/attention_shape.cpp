#include "autograd/ops/attention_shape.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "autograd/kernels/pack.h"
#include "autograd/ops/dropout_mask.h"

namespace glossa {

using kernels::AttentionSaved;
using kernels::AttentionShape;
using kernels::Columns;

namespace {

RowLayout keep_layout(auto& context, RowLayout layout) {
  layout.sequences = context.keep(layout.sequences);
  layout.sequence_ids = context.keep(layout.sequence_ids);
  return layout;
}

/// For each sequence, the number of weights per head that are kept for all earlier sequences. Sequences in tiles keep
/// none. The last element is the total.
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

/// Converts the caller's mask [T, S] to the kernels' form: [S, padded(T)] for the longest sequences.
template <class T>
Tensor<T> mask_by_key(Context<T>& c, const AttentionCall<T>& call) {
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

/// Draws the dropout mask of the kept weights; tiles draw theirs later. Weights saved in bf16 record the mask in their
/// signs, so the mask itself then lasts only until the op's scratch is released.
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

/// ALiBi's slope for one head (see AttentionOptions).
double slope_of(Index head, Index heads) {
  const double power = static_cast<double>(std::bit_floor(static_cast<std::uint64_t>(heads))), h = double(head);
  if (h < power) return std::exp2(-8 * (h + 1) / power);
  return std::exp2(-8 * (h - power + 0.5) / power);
}

template <class T>
std::span<const T> slopes_of(Context<T>& c, Index heads) {
  const std::span<T> slopes = c.template array<T>(heads);
  for (Index h = 0; h < heads; ++h) slopes[h] = static_cast<T>(slope_of(h, heads));
  return slopes;
}

}  // namespace

template <class T>
Index check_operand(const AttentionCall<T>& call, const char* what, const Variable<T>& x, OperandRole role,
                    Index of_queries, Index of_keys) {
  const RowLayout& layout = role == OperandRole::keys ? call.key : call.query;
  const Index heads = call.options.heads, key_heads = call.options.groups();
  check(x.shape().rank() == 2 && x.shape().rows() == layout.rows, call.op,
        "expected {} [{}, D], the rows of its sequences; got {}", what, layout.rows, x.shape());
  check_layout(call.op, layout, x.shape(), role == OperandRole::keys && !x.requires_grad());
  check(heads >= 1, call.op, "expected at least 1 head; got {}", heads);
  check(key_heads >= 1 && heads % key_heads == 0, call.op, "expected key_heads that divide the {} heads, or 0; got {}",
        heads, key_heads);
  const Index side_by_side = of_queries * heads + of_keys * key_heads;
  check(x.shape().cols() % side_by_side == 0, call.op,
        "expected {} [{}, D] with D a multiple of {}, for {} heads{}; got {}", what, layout.rows, side_by_side, heads,
        key_heads == heads ? "" : fmt::format(", {} of keys", key_heads), x.shape());
  return x.shape().cols() / side_by_side;
}

template <class T>
AttentionShape<T> attention_shape(Context<T>& c, const AttentionCall<T>& call, Index key_width, Index value_width,
                                  bool in_bf16) {
  const AttentionOptions& options = call.options;
  check(call.query.sequence_count() == call.key.sequence_count(), call.op,
        "expected equally many query and key sequences; got {} and {}", call.query.sequence_count(),
        call.key.sequence_count());
  check_probability(call.op, options.dropout);
  check(std::isfinite(options.scale), call.op, "expected a finite scale; got {}", options.scale);
  const double scale = options.scale != 0 ? options.scale : 1 / std::sqrt(double(key_width));
  AttentionShape<T> shape{.query = keep_layout(c, call.query),
                          .key = keep_layout(c, call.key),
                          .heads = options.heads,
                          .key_heads = options.groups(),
                          .key_width = key_width,
                          .value_width = value_width,
                          .causal = options.causal,
                          .scale = static_cast<T>(scale),
                          .in_bf16 = in_bf16,
                          .saves_in_bf16 = in_bf16 && !call.weights};
  // A mask or requested weights take as much memory as all weights, so tiles would not save memory.
  if (call.mask || call.weights) shape.max_kept = std::numeric_limits<Index>::max();
  shape.cells = count_cells(c, shape);
  if (call.mask) shape.mask = mask_by_key(c, call);
  if (options.alibi) shape.slopes = slopes_of(c, options.heads);
  if (c.training() && options.dropout > 0) draw_dropout(c, options.dropout, shape);
  return shape;
}

template <class T>
AttentionSaved<T> attention_saved(Context<T>& c, const AttentionCall<T>& call, const AttentionShape<T>& shape,
                                  bool needs_gradient) {
  AttentionSaved<T> saved;
  const Shape kept{shape.heads * shape.cells.back()};
  if (shape.saves_in_bf16)
    saved.rounded = c.bf16_tensor(kept).data;
  else if (needs_gradient || call.weights)
    saved.weights = c.tensor(kept).data;
  if (needs_gradient && shape.any_in_tiles()) saved.log_sums = c.tensor({shape.heads, shape.query.rows}).data;
  return saved;
}

template <class T>
Tensor<T> weights_by_query(Context<T>& c, const AttentionShape<T>& shape, const T* weights) {
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

#define GLOSSA_INSTANTIATE(T)                                                                                        \
  template Index check_operand(const AttentionCall<T>&, const char*, const Variable<T>&, OperandRole, Index, Index); \
  template AttentionShape<T> attention_shape(Context<T>&, const AttentionCall<T>&, Index, Index, bool);              \
  template AttentionSaved<T> attention_saved(Context<T>&, const AttentionCall<T>&, const AttentionShape<T>&, bool);  \
  template Tensor<T> weights_by_query(Context<T>&, const AttentionShape<T>&, const T*);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
