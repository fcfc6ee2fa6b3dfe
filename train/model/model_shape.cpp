#include "train/model/model_shape.h"

#include "base/check.h"
#include "train/model/memory_need.h"
#include "train/model/model_factory.h"

namespace glossa {
namespace {

/// Differs between models with parameters of different names or shapes. The number of numbers nearly suffices: besides
/// it, embeddings may be shared in other places, matrices of a trained similarity or of a feed-forward layer may be cut
/// otherwise, as with a gate, and heads may be more but narrower.
struct ShapeKey {
  double numbers = -1;  ///< -1: the options contradict each other
  Tied tied{};
  bool has_feed_forward = false, is_gated = false;
  std::int64_t heads = 0, inner_width = 0;

  bool operator==(const ShapeKey&) const = default;
};

ShapeKey shape_key(const ModelConfig& model) {
  const StackOptions& stack = model.transformer.stack;
  constexpr Index vocabulary = 100;
  const bool is_trained = stack.similarity == Similarity::general || stack.similarity == Similarity::additive;
  try {
    const TransformerOptions options = transformer_options(model, vocabulary, vocabulary);
    return {.numbers = memory_need(options).parameters,
            .tied = model.transformer.tied,
            .has_feed_forward = stack.feed_forward > 0,
            .is_gated = stack.feed_forward > 0 && is_gated(stack.activation),
            .heads = is_trained ? stack.heads : 0,
            .inner_width = options.stack.attention(false).inner_width()};
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

std::string differently_shaped(const Config& base, const Config& changed) {
  const ShapeKey wanted = shape_key(base.model);
  if (shape_key(changed.model) == wanted) return "";
  Config with = base;
  for (const Option<Config>& option : all_options()) {
    if (!option.key.starts_with("model.")) continue;
    option.set(with, option.text(changed));
    if (shape_key(with.model) != wanted) return option.key;
  }
  return "";
}

}  // namespace glossa
