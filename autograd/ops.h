#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "autograd/context.h"
#include "autograd/rows.h"

/// Every differentiable operation. Tensors are row-major; "[..., D]" means any leading axes. Letters follow
/// docs/notation.md: B batch, S source length, T target length, N rows, D model width, H heads, G heads of keys, K head
/// width, F feed-forward width, V vocabulary. Invalid arguments throw Error `[op] expected ...; got ...`, with the
/// shapes in the text. All operations exist for float and double. Gradients flow to Variable arguments only, and to all
/// of them.
namespace glossa {

/// The ops that will read a result. With `products`, a step that records in bf16 keeps the result only in bf16, to
/// which matrix products would round it anyway. Other ops may still read the rounded numbers.
enum class Use { any, products };

/// A variable or nothing. T is deduced from other arguments, which lets a Variable convert to it.
template <class T>
using OptionalVariable = std::optional<Variable<std::type_identity_t<T>>>;

// ---- arithmetic (ops/arithmetic.cpp); a and b broadcast by NumPy's rule ----

template <class T>
Variable<T> add(const Variable<T>& a, const Variable<T>& b);  ///< a + b
template <class T>
Variable<T> sub(const Variable<T>& a, const Variable<T>& b);  ///< a - b
template <class T>
Variable<T> mul(const Variable<T>& a, const Variable<T>& b);  ///< a * b, elementwise
template <class T>
Variable<T> div(const Variable<T>& a, const Variable<T>& b);  ///< a / b; b = 0 gives inf or NaN as IEEE does
template <class T>
Variable<T> neg(const Variable<T>& x);  ///< -x
template <class T>
Variable<T> scale(const Variable<T>& x, double factor);  ///< factor * x
/// Elementwise; NaN if either element is NaN. Equal elements get half of the gradient each, as in PyTorch.
template <class T>
Variable<T> minimum(const Variable<T>& a, const Variable<T>& b);
template <class T>
Variable<T> maximum(const Variable<T>& a, const Variable<T>& b);

// ---- functions of one element (ops/pointwise.cpp) ----

template <class T>
Variable<T> exp(const Variable<T>& x);  ///< e^x
template <class T>
Variable<T> log(const Variable<T>& x);  ///< natural logarithm; x <= 0 gives -inf or NaN as IEEE does
template <class T>
Variable<T> sqrt(const Variable<T>& x);  ///< x < 0 gives NaN; derivative at 0 is inf
template <class T>
Variable<T> pow(const Variable<T>& x, double exponent);  ///< exponent 0 has derivative 0 everywhere
template <class T>
Variable<T> square(const Variable<T>& x);  ///< x^2
template <class T>
Variable<T> abs(const Variable<T>& x);  ///< derivative 0 at 0
/// min(max(x, low), high), low <= high. The derivative is 1 in [low, high], including both ends, and 0 outside, as in
/// PyTorch.
template <class T>
Variable<T> clamp(const Variable<T>& x, double low, double high);

// ---- activations (ops/activation.cpp) ----

template <class T>
Variable<T> tanh(const Variable<T>& x);
template <class T>
Variable<T> sigmoid(const Variable<T>& x);  ///< 1 / (1 + e^-x)
template <class T>
Variable<T> relu(const Variable<T>& x);  ///< max(x, 0); derivative 0 at 0
/// x Phi(x), where Phi is the normal distribution function: the exact (erf) form (Hendrycks and Gimpel 2016).
template <class T>
Variable<T> gelu(const Variable<T>& x);
/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))): the tanh approximation of gelu, from the same paper.
template <class T>
Variable<T> gelu_tanh(const Variable<T>& x);
template <class T>
Variable<T> silu(const Variable<T>& x);  ///< x sigmoid(x) (Elfwing et al. 2017; "swish")
template <class T>
Variable<T> softplus(const Variable<T>& x);  ///< log(1 + e^x), a smooth relu (Dugas et al. 2001)

// ---- gated units (ops/gated.cpp) ----

/// silu(a) b (Shazeer 2020) for the halves (a, b) of each row: x [..., 2 H] -> [..., H]. The gate is the first half; in
/// PyTorch's glu, it is the second.
template <class T>
Variable<T> swiglu(const Variable<T>& x, Use use = Use::any);
/// gelu(a) b with the exact gelu (Shazeer 2020); shapes as for swiglu.
template <class T>
Variable<T> geglu(const Variable<T>& x, Use use = Use::any);

// ---- matrix products (ops/product.cpp) ----

/// The matrix product a b: [M, K] x [K, N] -> [M, N]. If requested, the last two axes of a or b are transposed first.
/// Up to two leading batch axes broadcast. A vector counts as a matrix of one row (a) or one column (b). The result
/// then lacks this axis of extent 1: [..., M, K] x [K] -> [..., M], [K] x [K, N] -> [N]. Transposing a vector has no
/// effect.
template <class T>
Variable<T> matmul(const Variable<T>& a, const Variable<T>& b, bool transpose_a = false, bool transpose_b = false);

/// x W^T + b: x [..., I], weight [O, I], bias [O] or none -> [..., O].
template <class T>
Variable<T> linear(const Variable<T>& x, const Variable<T>& weight, const OptionalVariable<T>& bias,
                   Use use = Use::any);
template <class T>
Variable<T> linear(const Variable<T>& x, const Variable<T>& weight, Use use = Use::any) {
  return linear(x, weight, std::nullopt, use);
}

/// dropout(relu(x W^T + b)): the first half of a feed-forward layer in one op that stores only its result
/// (ops/linear_relu.cpp). x [N, I], weight [O, I], bias [O] or none -> [N, O]; p and layout as for dropout. The
/// derivative is 0 where x W^T + b is 0. In bf16, the result is kept as with Use::products.
template <class T>
Variable<T> linear_relu(const Variable<T>& x, const Variable<T>& weight, const OptionalVariable<T>& bias, double p,
                        const RowLayout& layout);
template <class T>
Variable<T> linear_relu(const Variable<T>& x, const Variable<T>& weight, double p, const RowLayout& layout) {
  return linear_relu(x, weight, std::nullopt, p, layout);
}

/// Denotes all axes of a tensor.
struct EveryAxis {};
inline constexpr EveryAxis every_axis;

/// Axes of a tensor: a number, `{0, 2}`, a span, or every_axis. A bool is not an axis: sum(x, true) does not compile.
/// With keepdim, name the axis, as in sum(x, -1, true).
class Axes {
 public:
  Axes(int axis) : axis_(axis) {}
  Axes(std::initializer_list<int> axes) : list_(std::span(axes.begin(), axes.size())) {}
  explicit Axes(std::span<const int> axes) : list_(axes) {}
  Axes(EveryAxis) : list_(std::span<const int>()), is_every_(true) {}
  template <std::same_as<bool> B>
  Axes(B) = delete;

  bool is_every() const { return is_every_; }
  operator std::span<const int>() const { return list_ ? *list_ : std::span(&axis_, 1); }

 private:
  int axis_ = 0;
  std::optional<std::span<const int>> list_;
  bool is_every_ = false;
};

// ---- reductions (ops/reduction.cpp); over all elements (result []), one axis or several different axes ----
// A negative axis counts from the end. The result lacks the reduced axes; if `keepdim`, they remain with extent 1.

template <class T>
Variable<T> sum(const Variable<T>& x, const Axes& axes = every_axis, bool keepdim = false);
/// Throws if there are no elements to reduce.
template <class T>
Variable<T> mean(const Variable<T>& x, const Axes& axes = every_axis, bool keepdim = false);
template <class T>
Variable<T> max(const Variable<T>& x);  ///< the first of several equal maxima gets the gradient
template <class T>
Variable<T> max(const Variable<T>& x, int axis, bool keepdim = false);
template <class T, std::same_as<bool> B>
Variable<T> max(const Variable<T>& x, B keepdim) = delete;
/// For each element of max(x, axis), the index of that maximum along the axis, in the step's memory. The first of
/// several equal maxima counts; NaN is larger than any number.
template <class T>
std::span<const int> argmax(const Variable<T>& x, int axis);
/// sqrt(sum x^2); derivative 0 where the norm is 0.
template <class T>
Variable<T> norm(const Variable<T>& x, const Axes& axes = every_axis, bool keepdim = false);
/// Sum of the squared deviations from the mean of N elements, divided by N - correction. Correction 1 estimates the
/// variance from a sample, as PyTorch's default does; correction 0 gives the variance of the N numbers themselves.
/// Throws unless 0 <= correction < N.
template <class T>
Variable<T> var(const Variable<T>& x, const Axes& axes = every_axis, bool keepdim = false, int correction = 1);
/// sqrt(var(x)), called `std` in PyTorch (a namespace in C++). The derivative is 0 wherever the result is 0, as in
/// PyTorch.
template <class T>
Variable<T> stddev(const Variable<T>& x, const Axes& axes = every_axis, bool keepdim = false, int correction = 1);

// ---- softmax (ops/softmax.cpp); over the last axis; a row's maximum is subtracted first ----

/// y_i = exp(x_i) / sum_j exp(x_j). A row of only -inf gives zeros with zero gradient.
template <class T>
Variable<T> softmax(const Variable<T>& x);
/// log(softmax(x)), without taking the logarithm of small numbers. A row of only -inf stays -inf, with zero gradient.
template <class T>
Variable<T> log_softmax(const Variable<T>& x);

// ---- normalization (ops/layer_norm.cpp) ----

/// y = (x - mean) / sqrt(variance + epsilon) * gain + bias over the last axis (Ba et al. 2016); the variance has
/// divisor D. x [..., D], gain and bias [D]. The squares of x may overflow T, but x - mean must not. Rows are safe if
/// no magnitude exceeds half of T's maximum.
template <class T>
Variable<T> layer_norm(const Variable<T>& x, const Variable<T>& gain, const Variable<T>& bias, double epsilon,
                       Use use = Use::any);
template <class T>
Variable<T> layer_norm(const Variable<T>& x, double epsilon);  ///< without gain and bias

/// y = x / sqrt(mean(x^2) + epsilon) * gain over the last axis (Zhang and Sennrich 2019). x [..., D], gain [D]. The
/// squares of x may overflow T.
template <class T>
Variable<T> rms_norm(const Variable<T>& x, const Variable<T>& gain, double epsilon, Use use = Use::any);
template <class T>
Variable<T> rms_norm(const Variable<T>& x, double epsilon);  ///< without gain

/// layer_norm(x + dropout(branch)): the end of a post-norm sub-layer in one pass. x, branch [N, D]. If `branch` comes
/// from a linear op and has no other use, its memory is reused; reading `branch` later then throws Error.
template <class T>
Variable<T> add_layer_norm(const Variable<T>& x, const Variable<T>& branch, double dropout, const RowLayout& layout,
                           const Variable<T>& gain, const Variable<T>& bias, double epsilon);

/// rms_norm(x + dropout(branch)) in one pass, like add_layer_norm.
template <class T>
Variable<T> add_rms_norm(const Variable<T>& x, const Variable<T>& branch, double dropout, const RowLayout& layout,
                         const Variable<T>& gain, double epsilon);

// ---- selection (ops/selection.cpp) ----

/// Rows of a table: table [V, D], N ids -> [N, D]. Gradients of repeated ids add up. Throws if an id is outside [0, V).
/// `ids` is copied into the step's memory.
template <class T>
Variable<T> embedding(const Variable<T>& table, std::span<const int> ids);

/// Rows of x by index: x [N, D], M indices -> [M, D]. An alias of embedding under PyTorch's name.
template <class T>
Variable<T> index_select(const Variable<T>& x, std::span<const int> indices);

/// factor * table[id] + positions[position of the row], then dropout: the model's input in one pass. positions [P, D]
/// is indexed by the row's position in its sequence. Gap rows (see RowLayout) become zeros. Throws if a sequence is
/// longer than P.
template <class T>
Variable<T> embed_tokens(const Variable<T>& table, std::span<const int> ids, double factor,
                         const Variable<T>& positions, double dropout, const RowLayout& layout);

/// dropout(factor * table[id]), without positions: for models whose attention handles positions.
template <class T>
Variable<T> embed_tokens(const Variable<T>& table, std::span<const int> ids, double factor, double dropout,
                         const RowLayout& layout);

/// y[..., j] = x[..., indices[..., j]] along the last axis; indices has as many rows as x and any number of columns.
/// If x has no rows, the result has the shape of x.
template <class T>
Variable<T> gather(const Variable<T>& x, std::span<const int> indices);

/// The k largest elements of each row, largest first: x [..., D] -> values and indices [..., k].
template <class T>
struct TopK {
  Variable<T> values;
  std::span<const int> indices;  ///< flat indices as gather takes them, in the step's memory
};

/// Throws unless 0 <= k <= D (ops/topk.cpp). Equal elements stay in their order; NaN is larger than any number.
template <class T>
TopK<T> topk(const Variable<T>& x, Index k);

// ---- pooling (ops/pooling.cpp); one row per sequence: x [N, D], B sequences -> [B, D] ----

template <class T>
Variable<T> mean_pool(const Variable<T>& x, const RowLayout& layout);  ///< means of rows; zeros for an empty sequence
template <class T>
Variable<T> first_pool(const Variable<T>& x, const RowLayout& layout);  ///< first rows; throws if a sequence is empty
template <class T>
Variable<T> last_pool(const Variable<T>& x, const RowLayout& layout);  ///< last rows; throws if a sequence is empty

// ---- masking (ops/masking.cpp) ----

// A mask has the shape of the result or of its trailing axes. The allocator of std::vector<bool> is deduced, which
// makes a braced argument {pointer, size} a span, not a vector.

/// value where mask is true, else x. The gradient is 0 where filled.
template <class T>
Variable<T> masked_fill(const Variable<T>& x, std::span<const bool> mask, double value);
template <class T, class Allocator>
Variable<T> masked_fill(const Variable<T>& x, const std::vector<bool, Allocator>& mask, double value);

/// a where the condition is true, else b; a and b broadcast by NumPy's rule.
template <class T>
Variable<T> where(std::span<const bool> condition, const Variable<T>& a, const Variable<T>& b);
template <class T, class Allocator>
Variable<T> where(const std::vector<bool, Allocator>& condition, const Variable<T>& a, const Variable<T>& b);

// ---- dropout (ops/dropout.cpp) ----

/// Zeroes elements with probability p and divides the kept elements by the keep probability (Srivastava et al. 2014); p
/// is rounded to a multiple of 1/65536. Returns x outside training or if p = 0, and zeros if p = 1. The mask is a
/// function of (seed, update, site, sequence, position, column); `site` is the op's number among the forward pass's ops
/// that draw random numbers. `layout` gives each row of x [N, D] its sequence and position; without `layout`, x is
/// [..., D], and all its rows are one sequence.
template <class T>
Variable<T> dropout(const Variable<T>& x, double p);
template <class T>
Variable<T> dropout(const Variable<T>& x, double p, const RowLayout& layout);

/// x + dropout(branch): the end of a pre-norm sub-layer in one pass. Reuses the memory of `branch` like add_layer_norm.
template <class T>
Variable<T> add_dropout(const Variable<T>& x, const Variable<T>& branch, double p, const RowLayout& layout);

// ---- shape (ops/shaping.cpp) ----

template <class T>
Variable<T> reshape(const Variable<T>& x, const Shape& shape);  ///< `shape` must have the same number of elements
/// One extent may be -1. It is then computed from the number of elements, so the other extents must not be 0.
template <class T>
Variable<T> reshape(const Variable<T>& x, std::span<const Index> extents);
template <class T>
Variable<T> reshape(const Variable<T>& x, std::initializer_list<Index> extents) {
  return reshape(x, std::span(extents.begin(), extents.size()));
}
template <class T>
Variable<T> transpose(const Variable<T>& x, int axis_a, int axis_b);  ///< swaps two axes
/// Axis i of the result is axis axes[i] of x; `axes` lists every axis of x once.
template <class T>
Variable<T> permute(const Variable<T>& x, const Axes& axes);
/// Joins along an axis; all other extents must agree.
template <class T>
Variable<T> concat(std::span<const Variable<T>> parts, int axis);
template <class T>
Variable<T> concat(std::initializer_list<Variable<T>> parts, int axis) {
  return concat(std::span(parts.begin(), parts.size()), axis);
}
template <class T>
Variable<T> concat(const std::vector<Variable<T>>& parts, int axis) {
  return concat(std::span(parts), axis);
}
/// Pieces of the given lengths along an axis; the lengths must add up to the axis's extent.
template <class T>
std::vector<Variable<T>> split(const Variable<T>& x, std::span<const Index> lengths, int axis);
/// Indices begin, ..., end - 1 of an axis; negative arguments count from the end. Unlike Python, throws if an index is
/// outside the axis or begin > end.
template <class T>
Variable<T> slice(const Variable<T>& x, int axis, Index begin, Index end);
/// The slice at `index` of an axis; a negative index counts from the end. The result lacks that axis.
template <class T>
Variable<T> select(const Variable<T>& x, int axis, Index index);
/// Joins along a new axis, inserted before `axis`; all shapes must agree.
template <class T>
Variable<T> stack(std::span<const Variable<T>> parts, int axis);
template <class T>
Variable<T> stack(std::initializer_list<Variable<T>> parts, int axis) {
  return stack(std::span(parts.begin(), parts.size()), axis);
}
template <class T>
Variable<T> stack(const std::vector<Variable<T>>& parts, int axis) {
  return stack(std::span(parts), axis);
}
/// A constant tensor filled with `value`.
template <class T>
Variable<T> full(Context<T>& context, const Shape& shape, double value);
/// The value without its history: no gradient flows back.
template <class T>
Variable<T> stop_gradient(const Variable<T>& x);

// ---- rotary positions (ops/rotary.cpp) ----

/// Rotary position embedding (RoPE; Su et al. 2021): rotates queries and keys so that their products depend only on the
/// distance of their positions. The first `columns` columns of x [N, D] are heads of `head_width` K columns each; the
/// other columns are copied. At position p of a sequence, pair i of a head, columns 2i and 2i + 1, rotates by the angle
/// p base^(-2i/K). Gap rows become zeros. Throws unless K is even, `columns` is a multiple of K, and base > 0. If x
/// comes from a linear op and has no other use, its memory is reused (see add_layer_norm).
template <class T>
Variable<T> rotary(const Variable<T>& x, const RowLayout& layout, Index head_width, Index columns, double base = 10000,
                   Use use = Use::any);

// ---- attention (ops/attention.cpp) ----

struct AttentionOptions {
  Index heads = 1;
  Index key_heads = 0;  ///< G, heads of keys and values; must divide `heads`; 0 means `heads`
  bool causal = false;  ///< query i of a sequence attends to keys 0..i only
  double dropout = 0;   ///< probability that a weight is dropped
  double scale = 0;     ///< factor of the scores, finite; 0 means 1/sqrt(K)
  /// Attention with linear biases (ALiBi; Press et al. 2022): a score falls with the distance of query and key. Head h
  /// of H subtracts |i - j| 2^(-8(h+1)/H) for a query and a key at positions i and j. If H is not a power of two, let P
  /// be the largest one below H. The first P heads have the slopes for H = P; the others have the slopes of heads 0, 2,
  /// 4, ... of 2P, as in the paper.
  bool alibi = false;

  Index groups() const { return key_heads != 0 ? key_heads : heads; }  ///< G
};

/// softmax(scale q k^T + mask + biases) v per sequence and head (Vaswani et al. 2017, section 3.2): q [Nq, H K], k [Nk,
/// G K], v [Nk, G Kv] -> [Nq, H Kv]; head h uses columns [h K, (h+1) K). With G < H (grouped queries, Ainslie et al.
/// 2023; with G = 1, Shazeer 2019), H / G consecutive heads of queries share a head of keys and values: head h uses
/// head h / (H/G) of k and v. Sequence b of `query` attends only to sequence b of `key`. `mask` [T, S], at least as
/// large as the longest sequences, is added to the scores of every sequence and head; -inf blocks a key. The mask gets
/// no gradient. A query whose keys are all blocked gives zeros with zero gradient. NaN in blocked keys and values does
/// not affect results. `weights`, if given, receives the weights after softmax and before dropout, [H, Tq, Tk] per
/// sequence. Their memory lasts until the next step or until the enclosing Frame ends. A sequence with Tq * Tk above
/// kernels::max_kept_weights needs memory that grows only with Tq + Tk (Dao et al. 2022), unless a mask or `weights` is
/// passed. If a step in bf16 records, q, k and v are rounded, and the result is kept as with Use::products.
/// autograd/cases/attention_reference.h contains the formulas and their derivatives in plain loops; docs/attention.md
/// describes the fast paths.
template <class T>
Variable<T> attention(const Variable<T>& q, const Variable<T>& k, const Variable<T>& v, const RowLayout& query,
                      const RowLayout& key, const AttentionOptions& options, const Tensor<T>* mask = nullptr,
                      Tensor<T>* weights = nullptr);

/// Attention on queries, keys and values side by side in one matrix, the result of a single projection: qkv [N, (H +
/// 2 G) K] -> [N, H K].
template <class T>
Variable<T> self_attention(const Variable<T>& qkv, const RowLayout& layout, const AttentionOptions& options,
                           const Tensor<T>* mask = nullptr, Tensor<T>* weights = nullptr);

/// Attention on keys and values side by side in one matrix: q [Nq, H K], kv [Nk, 2 G K] -> [Nq, H K].
template <class T>
Variable<T> cross_attention(const Variable<T>& q, const Variable<T>& kv, const RowLayout& query, const RowLayout& key,
                            const AttentionOptions& options, const Tensor<T>* mask = nullptr,
                            Tensor<T>* weights = nullptr);

// ---- loss (ops/cross_entropy.cpp, ops/linear_cross_entropy.cpp) ----

/// Cross-entropy over the counted rows: those whose target is not `ignore_index`.
template <class T>
struct CrossEntropy {
  Variable<T> sum;     ///< scalar: the training loss with smoothing, summed over the counted rows; 0 if no row counts
  double nll_sum = 0;  ///< sum of -ln p(target) over the counted rows, without smoothing
  Index count = 0;     ///< number of counted rows
};

/// Cross-entropy of logits [N, V] and N targets. With smoothing s, the target distribution is (1 - s) onehot + s / V
/// over all V classes (Szegedy et al. 2016), as in PyTorch and Marian. Ignored rows get zero gradient. Throws if a
/// target is neither in [0, V) nor `ignore_index` (default -100, as in PyTorch).
template <class T>
CrossEntropy<T> cross_entropy(const Variable<T>& logits, std::span<const int> targets, int ignore_index = -100,
                              double label_smoothing = 0);

/// cross_entropy(linear(x, weight, bias), targets, ...), equal up to rounding, but never holds all [N, V] logits in
/// memory. x [N, D], weight [V, D], bias [V] or none.
template <class T>
CrossEntropy<T> linear_cross_entropy(const Variable<T>& x, const Variable<T>& weight, const OptionalVariable<T>& bias,
                                     std::span<const int> targets, int ignore_index = -100, double label_smoothing = 0);
template <class T>
CrossEntropy<T> linear_cross_entropy(const Variable<T>& x, const Variable<T>& weight, std::span<const int> targets,
                                     int ignore_index = -100, double label_smoothing = 0) {
  return linear_cross_entropy(x, weight, std::nullopt, targets, ignore_index, label_smoothing);
}

/// R-Drop (Wu et al. 2021): x [2N, D] holds the states of N rows for two passes with different dropout, one after the
/// other. weight [V, D], bias [V] or none, N targets. p and q are the two passes' distributions of a row:
///   sum = sum over rows of (loss(p) + loss(q)) / 2 + alpha / 4 (KL(p || q) + KL(q || p))
/// This is half of the paper's loss, which makes it comparable with the cross-entropy. nll_sum is the mean of both
/// passes. The count is over N rows. As in linear_cross_entropy, only a few rows' logits are in memory at a time.
template <class T>
CrossEntropy<T> r_drop(const Variable<T>& x, const Variable<T>& weight, const OptionalVariable<T>& bias,
                       std::span<const int> targets, double alpha, int ignore_index = -100, double label_smoothing = 0);

}  // namespace glossa
