#include "train/model/memory_need.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "autograd/kernels/attention.h"
#include "autograd/kernels/pack.h"

namespace glossa {

namespace {

constexpr double number_bytes = sizeof(float);
constexpr double longest_whole = 256;  // approximate maximum length for which attention keeps all weights

/// Numbers that attention keeps for backward per head and sentence. For long sentences, this is only one per query.
double kept_weights(Index queries, Index keys) {
  const bool in_tiles = kernels::attention_path(queries, keys) == kernels::AttentionPath::tiles;
  return static_cast<double>(in_tiles ? queries : keys * kernels::padded<float>(queries));
}

/// Counts the numbers that layers keep for backward. The counts follow from the ops (autograd/ops) and the layers'
/// structure (layers/). A bf16 number counts as half a number. Private members count per batch row, unless they have a
/// parameter `rows`.
class SavedNumbers {
 public:
  SavedNumbers(const StackOptions& stack, Precision precision) : s_(stack), in_bf16_(precision == Precision::bf16) {}

  double encoder_layer(const BatchExtent& b) const {
    return b.source_rows * (2 * residual() + queries() + keys_values() + repeated_keys() + feed_forward()) +
           turned(b.source_rows, b.longest_source) +
           attention(b.source_rows, b.source_weights, b.longest_source, inner_ + 2 * key_inner_);
  }

  double decoder_layer(const BatchExtent& b) const {
    return b.target_rows * (3 * residual() + 2 * queries() + keys_values() + repeated_keys() + feed_forward()) +
           b.source_rows * (keys_values() + repeated_keys()) + turned(b.target_rows, b.longest_target) +
           attention(b.target_rows, b.target_weights, b.longest_target, inner_ + 2 * key_inner_) +
           attention(b.target_rows, b.cross_weights, b.longest_source, 0);
  }

  /// Numbers kept by the embeddings, and by the norms after the last layers.
  double ends(const BatchExtent& b, double dropout) const {
    const double embedding = (1 + mask(dropout) + (s_.norm == NormPlace::post ? rounded() : 0)) * width_;
    return (b.source_rows + b.target_rows) * (embedding + (s_.final_norm ? norm() + rounded() * width_ : 0));
  }

  /// Gradients of one layer, which exist before backward has freed any kept value.
  double gradients(const BatchExtent& b) const {
    const double pairs = s_.similarity == Similarity::additive ? 12 * inner_ * b.target_rows * b.longest_source : 0;
    const double own = feed_forward_gradients() + turned_gradients() + 2 * inner_ + 2 * key_inner_ + 3 * width_;
    return b.target_rows * own + b.source_rows * (own + 2 * key_inner_ + width_) + pairs;
  }

  /// Maximum scratch memory of an op.
  double scratch(const BatchExtent& b) const {
    const double rows = std::max(b.source_rows, b.target_rows);
    const bool masked = s_.activation == Activation::relu && s_.activation_dropout > 0;
    return std::max({masked ? rows * hidden_ : 0, scratch_of_heads(b), rounded_gradients(rows)});
  }

 private:
  /// Size of a value that only matrix products read, in floats.
  double for_products() const { return in_bf16_ ? 0.5 : 1; }

  /// Size, in floats, of the additional bf16 copy of a value that both matrix products and other ops read.
  double rounded() const { return in_bf16_ ? 0.5 : 0; }

  /// A dropout mask has one byte per number, a quarter of a float.
  static double mask(double rate) { return rate > 0 ? 0.25 : 0; }

  bool has_usual_norm() const {
    return s_.norm_affine == NormAffine::vector && s_.epsilon_place != EpsilonPlace::outside;
  }

  double norm() const {
    if (has_usual_norm()) return width_;
    const bool is_rms = s_.norm_kind == NormKind::rms, has_one = is_rms || s_.norm_affine == NormAffine::gain;
    const int affine = s_.norm_affine == NormAffine::none ? 0 : has_one ? 1 : 2;
    const bool centers = s_.epsilon_place == EpsilonPlace::outside && !is_rms;  // true: a separate op centers the rows
    return (centers ? 2 + affine : 1 + affine) * width_;
  }

  /// Numbers kept for a norm and a residual sum. With dropout or post-norm, the sum reuses the memory of the
  /// sub-layer's result. The usual post-norm in bf16 keeps its normalized rows instead of the sum.
  double residual() const {
    const double own = s_.residual_dropout > 0 || s_.norm == NormPlace::post ? 0 : 1;
    const double normed = !has_usual_norm()           ? norm() + rounded() * width_
                          : s_.norm == NormPlace::pre ? for_products() * width_
                                                      : width_;
    return normed + (1 + own + mask(s_.residual_dropout)) * width_;
  }

  double feed_forward() const {
    if (s_.activation == Activation::relu) return for_products() * hidden_;
    const bool drops = s_.activation_dropout > 0;
    if (is_gated(s_.activation) && !drops) return first_ + for_products() * hidden_;
    return first_ + (1 + rounded() + (drops ? 1 + mask(s_.activation_dropout) : 0)) * hidden_;
  }

  /// Gradients of the results of the activation and of the first matrix. The gradient for the first matrix reuses the
  /// memory of dropout's gradient, unless it is larger than that.
  double feed_forward_gradients() const {
    if (s_.activation == Activation::relu) return first_;
    return first_ + (is_gated(s_.activation) && s_.activation_dropout > 0 ? 2 : 1) * hidden_;
  }

  bool has_trained_similarity() const {
    return s_.similarity == Similarity::general || s_.similarity == Similarity::additive;
  }

  double queries() const { return (has_trained_similarity() ? 1 : for_products()) * inner_; }
  double keys_values() const { return (has_trained_similarity() ? 1 : for_products()) * 2 * key_inner_; }

  bool turns() const { return s_.relative_positions == RelativePositions::rotary; }

  /// Numbers kept for rotated queries and keys, and the values. In float, they reuse the memory of the projection. The
  /// op also keeps the cosines and sines of each position, and each row's position, an Index.
  double turned(double rows, double longest) const {
    if (!turns()) return 0;
    constexpr double position = sizeof(Index) / number_bytes;
    return rows * (rounded() * (inner_ + 2 * key_inner_) + position) + longest * head_width_;
  }

  /// Gradient of rotated queries, keys and values. It exists together with the projection's gradient.
  double turned_gradients() const { return turns() ? inner_ + 2 * key_inner_ : 0; }

  /// Additive attention's repeated keys and values, one copy per head of a group, and the indices of their heads.
  double repeated_keys() const {
    return s_.similarity == Similarity::additive && inner_ > key_inner_ ? 2 * inner_ + 2 * heads_ : 0;
  }

  /// Numbers kept for attention's result and weights. With trained similarities, queries, keys and values are copied
  /// out of one matrix; `cut` is their total width. In bf16, the signs of the weights store the dropout mask.
  double attention(double rows, double weights, double longest_key, double cut) const {
    if (s_.similarity == Similarity::additive)
      return rows * (cut + inner_) + rows * longest_key * (8 * inner_ + 8 * heads_);
    const double turned =
        s_.similarity == Similarity::general ? rows * (cut + 3 * inner_ + (cut + inner_) * rounded()) : 0;
    const double weight = in_bf16_ ? for_products() : 1 + mask(s_.attention_dropout);
    return rows * for_products() * inner_ + turned + heads_ * weights * weight;
  }

  /// Attention's scratch memory: the maximum of that for the longest sequences and for the longest that do not use
  /// tiles.
  double scratch_of_heads(const BatchExtent& b) const {
    if (s_.similarity == Similarity::additive) return 0;
    double most = 0;
    for (const double limit : {longest_whole, std::numeric_limits<double>::infinity()}) {
      const double source = std::min(b.longest_source, limit), target = std::min(b.longest_target, limit);
      most = std::max({most, scratch_of_heads(b.sentences, source, source),
                       scratch_of_heads(b.sentences, target, target), scratch_of_heads(b.sentences, target, source)});
    }
    return most;
  }

  /// Attention's scratch memory for pairs of sequences of these lengths. More than 32 pairs need no more than 32.
  double scratch_of_heads(double sentences, double queries, double keys) const {
    const auto span_of = [&](double length) {
      return std::vector<RowSpan>(static_cast<std::size_t>(std::min(sentences, 32.0)), {0, static_cast<Index>(length)});
    };
    const std::vector<RowSpan> rows = span_of(queries), key_rows = span_of(keys);
    const Index width = static_cast<Index>(head_width_), heads = s_.heads;
    kernels::AttentionShape<float> shape{.query = {.sequences = rows},
                                         .key = {.sequences = key_rows},
                                         .heads = heads,
                                         .key_heads = s_.key_heads > 0 ? s_.key_heads : heads,
                                         .key_width = width,
                                         .value_width = width,
                                         .causal = false,
                                         .scale = 1,
                                         .in_bf16 = in_bf16_};
    if (s_.attention_dropout > 0) shape.dropout.emplace(PhiloxKey{}, 0, s_.attention_dropout);
    return static_cast<double>(shape.scratch_size());
  }

  /// In bf16: the gradient of a linear layer's result, and its packed weight.
  double rounded_gradients(double rows) const {
    return rounded() * (rows + width_) * std::max(first_, inner_ + 2 * key_inner_);
  }

  const StackOptions& s_;
  const bool in_bf16_;
  const double width_ = static_cast<double>(s_.width), hidden_ = static_cast<double>(s_.feed_forward);
  const double inner_ = static_cast<double>(s_.attention(false).inner_width());
  const double key_inner_ = static_cast<double>(s_.attention(false).key_inner_width());
  const double first_ = is_gated(s_.activation) ? 2 * hidden_ : hidden_;  // columns of the first matrix's result
  const double heads_ = static_cast<double>(s_.heads), head_width_ = inner_ / heads_;
};

double step_bytes(const TransformerOptions& o, const BatchExtent& b, Precision precision) {
  const SavedNumbers saved(o.stack, precision);
  const double width = static_cast<double>(o.stack.width), vocabulary = static_cast<double>(o.target_vocabulary);
  const double layers = static_cast<double>(o.encoder_layers) * saved.encoder_layer(b) +
                        static_cast<double>(o.decoder_layers) * saved.decoder_layer(b);
  // The loss computes its gradients before backward begins; the first gradients of layers later reuse their space.
  const double loss = b.target_rows > 0 ? (vocabulary + b.target_rows) * width : 0;
  const bool packs = precision == Precision::bf16 && b.target_rows >= 2048;  // true: the output matrix is packed twice
  const double logits = std::min(b.target_rows, 256.0) * vocabulary + (packs ? vocabulary * width : 0);
  return number_bytes * (saved.ends(b, o.embedding_dropout) + layers + std::max(loss, saved.gradients(b)) +
                         std::max(logits, saved.scratch(b)));
}

}  // namespace

BatchExtent extent_of(const Batch& batch) {
  BatchExtent extent{.sentences = static_cast<double>(batch.sentences),
                     .source_rows = static_cast<double>(batch.source_rows),
                     .target_rows = static_cast<double>(batch.target_rows)};
  for (std::size_t i = 0; i < batch.source_spans.size(); ++i) {
    const Index source = batch.source_spans[i].length, target = batch.target_spans[i].length;
    extent.longest_source = std::max(extent.longest_source, static_cast<double>(source));
    extent.longest_target = std::max(extent.longest_target, static_cast<double>(target));
    extent.source_weights += kept_weights(source, source);
    extent.target_weights += kept_weights(target, target);
    extent.cross_weights += kept_weights(target, source);
  }
  return extent;
}

MemoryNeed memory_need(const TransformerOptions& options, const BatchExtent& batch, double moments, int averages,
                       int sums, Precision precision) {
  // The model below allocates no parameters, but would allocate sinusoid tables for `max_positions`.
  TransformerOptions declared = options;
  const bool has_sinusoids = !options.learned_positions && options.stack.relative_positions == RelativePositions::none;
  if (!options.learned_positions) declared.max_positions = 1;
  ParameterStore<float> store;
  const Transformer<float> model(store, declared);
  MemoryNeed need;
  need.parameters = number_bytes * static_cast<double>(store.count());
  need.initial = static_cast<double>(sizeof(double)) * static_cast<double>(store.largest());
  if (has_sinusoids)
    need.positions =
        2 * number_bytes * static_cast<double>(options.max_positions) * static_cast<double>(options.stack.width);
  need.moments = moments * need.parameters;
  need.average = averages * need.parameters;
  need.sums = sums * need.parameters;
  need.step = step_bytes(options, batch, precision);
  return need;
}

}  // namespace glossa
