#include "autograd/kernels/attention.h"

#include <cmath>

#include "autograd/kernels/pack.h"
#include "autograd/ops.h"
#include "autograd/ops/dropout_mask.h"

namespace glossa {

namespace {

using kernels::AttentionShape;
using kernels::Columns;

RowLayout keep_layout(auto& context, RowLayout layout) {
  layout.sequences = context.keep(layout.sequences);
  layout.sequence_ids = {};  // the dropout mask is drawn in the forward pass
  return layout;
}

/// Everything but the operands: checks, lengths, dropout.
template <class T>
AttentionShape<T> prepare(const char* op, Context<T>& c, Index key_width, Index value_width, const RowLayout& query,
                          const RowLayout& key, const AttentionOptions& options, const Tensor<T>* mask) {
  check(query.sequence_count() == key.sequence_count(), op, "expected as many query as key sequences; got {} and {}",
        query.sequence_count(), key.sequence_count());
  check_probability(op, options.dropout);
  AttentionShape<T> shape{
      .query = keep_layout(c, query),
      .key = keep_layout(c, key),
      .heads = options.heads,
      .key_width = key_width,
      .value_width = value_width,
      .causal = options.causal,
      .scale = static_cast<T>(options.scale != 0 ? options.scale : 1 / std::sqrt(double(key_width))),
      .mask = {},
      .cells = {},
      .keep = {},
      .keep_scale = T{1}};
  const std::span<Index> cells = c.template array<Index>(query.sequence_count() + 1);
  cells[0] = 0;
  Index most_rows = 0, most_keys = 0;
  for (Index b = 0; b < query.sequence_count(); ++b) {
    const RowSpan rows = query.sequences[b], keys = key.sequences[b];
    check(!mask || (mask->shape.rank() == 2 && rows.length <= mask->rows() && keys.length <= mask->cols()), op,
          "expected a mask of at least [{}, {}]; got {}", rows.length, keys.length, mask ? mask->shape : Shape{});
    most_rows = std::max(most_rows, rows.length);
    most_keys = std::max(most_keys, keys.length);
    cells[b + 1] = cells[b] + keys.length * kernels::padded<T>(rows.length);
  }
  shape.cells = cells;
  if (mask) {
    shape.mask = c.tensor({most_keys, kernels::padded<T>(most_rows)});
    kernels::Bump<T> memory{shape.mask.data};
    kernels::transposed_panel(most_rows, most_keys, mask->data, mask->cols(), memory);
  }
  if (c.training() && options.dropout > 0) {
    const kernels::DropoutSite site(c.random_key(), c.next_random_site(), options.dropout);
    const auto keep = c.template array<std::uint8_t>(options.heads * cells.back());
    kernels::attention_dropout_mask(keep, options.heads, cells, kernels::Lanes<T>::count, site, query, key);
    shape.keep = keep;
    shape.keep_scale = static_cast<T>(site.keep_scale());
  }
  return shape;
}

/// The weights as the caller gets them: [heads, Tq, Tk] of each sequence, from [heads, Tk, Tq in whole vectors].
template <class T>
Tensor<T> by_query(Context<T>& c, const AttentionShape<T>& shape, const Tensor<T>& weights) {
  const Tensor<T> result = c.tensor({shape.scores()});
  T* to = result.data;
  for (Index b = 0; b < shape.query.sequence_count(); ++b) {
    const Index rows = shape.query.sequences[b].length, keys = shape.key.sequences[b].length;
    const Index width = kernels::padded<T>(rows);
    const T* head = weights.data + shape.heads * shape.cells[b];
    for (Index h = 0; h < shape.heads; ++h, head += keys * width)
      for (Index i = 0; i < rows; ++i)
        for (Index j = 0; j < keys; ++j) *to++ = head[j * width + i];
  }
  return result;
}

/// Input number and first column of q, k and v in the inputs of the op.
struct Place {
  int input;
  Index column;
};

/// The three forms differ only in where q, k and v stand. For each sequence and head, with the scale s, the masks M and
/// dropout's mask m over 1 - p (products with m and P element by element, the sum along a row):
///     P = softmax(s q k^T + M),    y = (m P) v,    dv = (m P)^T dy,
///     dP = m (dy v^T),    dS = P (dP - sum(dP P)),    dq = s dS k,    dk = s dS^T q.
template <class T>
Variable<T> attend(const char* op, std::initializer_list<Variable<T>> inputs, Place q, Place k, Place v,
                   const AttentionShape<T>& shape, Tensor<T>* weights_out) {
  Context<T>& c = context_of(op, inputs);
  const auto columns = [&](Place place) {
    const Tensor<const T> x = c.read(inputs.begin()[place.input]);
    return Columns<const T>{x.data + place.column, x.cols()};
  };
  const Columns<const T> xq = columns(q), xk = columns(k), xv = columns(v);
  const Index out_width = shape.heads * shape.value_width;
  const Tensor<T> y = c.tensor({shape.query.rows, out_width});

  bool keeps_weights = weights_out != nullptr;
  for (const Variable<T>& input : inputs) keeps_weights |= input.requires_grad();
  const Tensor<T> weights = keeps_weights ? c.tensor({shape.heads * shape.cells.back()}) : Tensor<T>{nullptr, Shape{0}};
  const Index scratch_size = shape.scratch_size();
  const Arena::Mark mark = c.scratch_mark();
  kernels::attention_forward(shape, xq, xk, xv, weights.data, Columns<T>{y.data, out_width},
                             c.scratch({threads() * scratch_size}).data);
  if (weights_out) *weights_out = by_query(c, shape, weights);

  return c.record(op, inputs, y, [shape, q, k, v, xq, xk, xv, weights, scratch_size](Backward<T>& back) {
    // Inputs that hold several of the three are asked for once.
    Sink<T> sinks[3];
    bool asked[3] = {};
    const auto gradient = [&](Place place) {
      if (!back.needs(place.input)) return Columns<T>{};
      if (!asked[place.input]) sinks[place.input] = back.sink(place.input);
      asked[place.input] = true;
      const Sink<T>& to = sinks[place.input];
      return Columns<T>{to.grad.data + place.column, to.grad.cols(), to.add};
    };
    const Columns<T> dq = gradient(q), dk = gradient(k), dv = gradient(v);
    const Tensor<const T> dy = back.dy();
    kernels::attention_backward(shape, xq, xk, xv, weights.data, Columns<const T>{dy.data, dy.cols()}, dq, dk, dv,
                                back.scratch({threads() * scratch_size}).data);
  });
}

enum class Role { queries, keys };

/// `parts` matrices side by side. Several sequences may read the same keys, but the heads that write gradients run side
/// by side.
template <class T>
void check_operand(const char* op, const char* what, const Variable<T>& x, const RowLayout& layout, Role role,
                   Index parts, Index heads) {
  check_layout(op, layout, x.shape(), role == Role::keys && !x.requires_grad());
  check(heads >= 1 && x.shape().cols() % (parts * heads) == 0, op,
        "expected {} [{}, a multiple of {} x {} heads]; got {}", what, layout.rows, parts, heads, x.shape());
}

}  // namespace

template <class T>
Variable<T> attention(const Variable<T>& q, const Variable<T>& k, const Variable<T>& v, const RowLayout& query,
                      const RowLayout& key, const AttentionOptions& options, const Tensor<T>* mask,
                      Tensor<T>* weights) {
  const char* const op = "attention";
  Context<T>& c = context_of(op, {q, k, v});
  check_operand(op, "q", q, query, Role::queries, 1, options.heads);
  check_operand(op, "k", k, key, Role::keys, 1, options.heads);
  check_operand(op, "v", v, key, Role::keys, 1, options.heads);
  check(q.shape().cols() == k.shape().cols(), op, "expected q and k of one width; got {} and {}", q.shape(), k.shape());
  const AttentionShape<T> shape =
      prepare(op, c, q.shape().cols() / options.heads, v.shape().cols() / options.heads, query, key, options, mask);
  return attend(op, {q, k, v}, {0, 0}, {1, 0}, {2, 0}, shape, weights);
}

template <class T>
Variable<T> self_attention(const Variable<T>& qkv, const RowLayout& layout, const AttentionOptions& options,
                           const Tensor<T>* mask, Tensor<T>* weights) {
  const char* const op = "self_attention";
  Context<T>& c = context_of(op, {qkv});
  check_operand(op, "qkv", qkv, layout, Role::queries, 3, options.heads);
  const Index d = qkv.shape().cols() / 3;
  const AttentionShape<T> shape = prepare(op, c, d / options.heads, d / options.heads, layout, layout, options, mask);
  return attend(op, {qkv}, {0, 0}, {0, d}, {0, 2 * d}, shape, weights);
}

template <class T>
Variable<T> cross_attention(const Variable<T>& q, const Variable<T>& kv, const RowLayout& query, const RowLayout& key,
                            const AttentionOptions& options, const Tensor<T>* mask, Tensor<T>* weights) {
  const char* const op = "cross_attention";
  Context<T>& c = context_of(op, {q, kv});
  check_operand(op, "q", q, query, Role::queries, 1, options.heads);
  check_operand(op, "kv", kv, key, Role::keys, 2, options.heads);
  const Index d = q.shape().cols();
  check(kv.shape().cols() == 2 * d, op, "expected kv twice as wide as q; got {} and {}", kv.shape(), q.shape());
  const AttentionShape<T> shape = prepare(op, c, d / options.heads, d / options.heads, query, key, options, mask);
  return attend(op, {q, kv}, {0, 0}, {1, 0}, {1, d}, shape, weights);
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

}  // namespace glossa
