#include "python/binding/layer_options.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"
#include "base/nearest_name.h"
#include "python/binding/array.h"
#include "python/binding/initializer.h"

namespace glossa::python {

namespace {

using Names = std::initializer_list<const char*>;

/// Sets the enum `value` to the one named by a string; `names` are in enum order.
template <class E>
void convert_name(const char* where, nb::handle given, Names names, E& value) {
  std::string name;
  const bool is_string = nb::try_cast(given, name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (!is_string || found == names.end())
    misuse(where, "expected one of {}; got {}", fmt::join(names, ", "), string_of(nb::repr(given)));
  value = static_cast<E>(found - names.begin());
}

[[noreturn]] void refuse(const char* where, const char* expected, nb::handle given) {
  misuse(where, "expected {}; got {}", expected, string_of(nb::repr(given)));
}

void read_stack(LayerOptions& options, StackOptions& o) {
  options.read("width", o.width)
      .read("heads", o.heads)
      .read("key_heads", o.key_heads)
      .read("head_width", o.head_width)
      .read("similarity", o.similarity)
      .read("causal", o.causal)
      .read("feed_forward", o.feed_forward)
      .read("norm", o.norm)
      .read("final_norm", o.final_norm)
      .read("norm_kind", o.norm_kind)
      .read("norm_epsilon", o.norm_epsilon)
      .read("norm_affine", o.norm_affine)
      .read("epsilon_place", o.epsilon_place)
      .read("activation", o.activation)
      .read("bias", o.bias)
      .read("attention_bias", o.attention_bias)
      .read("relative_positions", o.relative_positions)
      .read("rotary_base", o.rotary_base)
      .read("residual_dropout", o.residual_dropout)
      .read("attention_dropout", o.attention_dropout)
      .read("activation_dropout", o.activation_dropout)
      .read("weight_init", o.weight_init);
}

}  // namespace

void LayerOptions::check_names() const {
  for (const auto& [key, value] : given_) {
    const std::string name = nb::cast<std::string>(key);
    if (std::ranges::find(known_, name) != known_.end()) continue;
    const std::string torch = string_of(nb::module_::import_("glossa.pytorch").attr("option_hint")(name));
    const std::string near = nearest_name(name, known_);
    misuse(layer_, "expected its options; got '{}'. Hint: {}", name,
           !torch.empty()  ? torch
           : !near.empty() ? fmt::format("did you mean '{}'?", near)
                           : fmt::format("the options are {}", fmt::join(known_, ", ")));
  }
}

void LayerOptions::convert(const char* where, nb::handle given, Index& value) {
  if (!nb::try_cast(given, value) || PyBool_Check(given.ptr()) || value < 0)
    refuse(where, "an int of at least 0", given);
}

void LayerOptions::convert(const char* where, nb::handle given, bool& value) {
  if (!nb::try_cast(given, value)) refuse(where, "True or False", given);
}

void LayerOptions::convert(const char* where, nb::handle given, double& value) {
  if (!nb::try_cast(given, value)) refuse(where, "a number", given);
  if (std::string_view(where).ends_with("dropout") && !(value >= 0 && value < 1))
    refuse(where, "a probability of at least 0, below 1", given);
}

void LayerOptions::convert(const char* where, nb::handle given, Initializer& value) {
  if (!given.is_none()) value = to_initializer(where, given);
}

void LayerOptions::convert(const char* where, nb::handle given, Activation& value) {
  convert_name(where, given, activation_names, value);
}

void LayerOptions::convert(const char* where, nb::handle given, AttentionBias& value) {
  convert_name(where, given, {"all", "output", "none"}, value);
}

void LayerOptions::convert(const char* where, nb::handle given, EpsilonPlace& value) {
  convert_name(where, given, {"inside", "outside"}, value);
}

void LayerOptions::convert(const char* where, nb::handle given, LengthPenalty& value) {
  convert_name(where, given, {"none", "power", "gnmt"}, value);
}

void LayerOptions::convert(const char* where, nb::handle given, NormAffine& value) {
  convert_name(where, given, {"vector", "scalar", "gain", "none"}, value);
}

void LayerOptions::convert(const char* where, nb::handle given, NormKind& value) {
  convert_name(where, given, {"layer", "rms"}, value);
}

void LayerOptions::convert(const char* where, nb::handle given, NormPlace& value) {
  convert_name(where, given, {"pre", "post"}, value);
}

void LayerOptions::convert(const char* where, nb::handle given, Positions& value) {
  convert_name(where, given, {"none", "sinusoidal", "learned"}, value);
}

void LayerOptions::convert(const char* where, nb::handle given, glossa::Precision& value) {
  value = to_product_precision(where, given);
}

void LayerOptions::convert(const char* where, nb::handle given, RelativePositions& value) {
  convert_name(where, given, {"none", "rotary", "alibi"}, value);
}

void LayerOptions::convert(const char* where, nb::handle given, Search& value) {
  convert_name(where, given, {"glossa", "huggingface"}, value);
}

void LayerOptions::convert(const char* where, nb::handle given, Similarity& value) {
  convert_name(where, given, {"scaled_dot", "dot", "general", "additive"}, value);
}

void LayerOptions::convert(const char* where, nb::handle given, Sinusoid& value) {
  convert_name(where, given, {"interleaved", "halves", "raw_index", "sorted"}, value);
}

void LayerOptions::convert(const char* where, nb::handle given, Tied& value) {
  convert_name(where, given, {"none", "output", "all", "embeddings"}, value);
}

LinearOptions to_linear_options(const NamedOptions& given) {
  LinearOptions o;
  LayerOptions("Linear", given)
      .read("bias", o.bias)
      .read("weight_init", o.weight_init)
      .read("bias_init", o.bias_init)
      .check_names();
  return o;
}

NormOptions to_norm_options(const char* layer, const NamedOptions& given) {
  NormOptions o;
  LayerOptions(layer, given)
      .read("kind", o.kind)
      .read("epsilon", o.epsilon)
      .read("affine", o.affine)
      .read("epsilon_place", o.epsilon_place)
      .check_names();
  return o;
}

AttentionLayerOptions to_attention_options(const char* layer, const NamedOptions& given) {
  AttentionLayerOptions o{};
  LayerOptions options(layer, given);
  options.read("width", o.width)
      .read("heads", o.heads)
      .read("key_heads", o.key_heads)
      .read("head_width", o.head_width)
      .read("similarity", o.similarity)
      .read("dropout", o.dropout)
      .read("bias", o.bias)
      .read("causal", o.causal)
      .read("weight_init", o.weight_init);
  if (std::string_view(layer) == "SelfAttention")
    options.read("relative_positions", o.relative_positions).read("rotary_base", o.rotary_base);
  options.check_names();
  return o;
}

FeedForwardOptions to_feed_forward_options(const NamedOptions& given) {
  FeedForwardOptions o{};
  LayerOptions("FeedForward", given)
      .read("width", o.width)
      .read("hidden", o.hidden)
      .read("activation", o.activation)
      .read("dropout", o.dropout)
      .read("bias", o.bias)
      .read("weight_init", o.weight_init)
      .check_names();
  return o;
}

StackOptions to_stack_options(const char* layer, const NamedOptions& given) {
  StackOptions o;
  LayerOptions options(layer, given);
  read_stack(options, o);
  options.read("layers", o.layers).check_names();
  return o;
}

TransformerOptions to_transformer_options(const NamedOptions& given) {
  TransformerOptions o;
  LayerOptions options("Transformer", given);
  read_stack(options, o.stack);
  options.read("source_vocabulary", o.source_vocabulary)
      .read("target_vocabulary", o.target_vocabulary)
      .read("encoder_layers", o.encoder_layers)
      .read("decoder_layers", o.decoder_layers)
      .read("embedding_dropout", o.embedding_dropout)
      .read("learned_positions", o.learned_positions)
      .read("sinusoid", o.sinusoid)
      .read("max_positions", o.max_positions)
      .read("tied", o.tied)
      .read("scale_embeddings", o.scale_embeddings)
      .read("output_bias", o.output_bias)
      .read("start_row", o.start_row)
      .check_names();
  return o;
}

DecodeOptions to_decode_options(const NamedOptions& given) {
  DecodeOptions options;
  LayerOptions("generate", given)
      .read("beam", options.beam)
      .read("length_penalty", options.length_penalty)
      .read("alpha", options.alpha)
      .read("max_length_factor", options.max_length_factor)
      .read("max_length_extra", options.max_length_extra)
      .read("min_length", options.min_length)
      .read("search", options.search)
      .read("sample", options.sample)
      .read("temperature", options.temperature)
      .read("top_k", options.top_k)
      .read("top_p", options.top_p)
      .read("seed", options.seed)
      .read("precision", options.precision)
      .check_names();
  return options;
}

glossa::Precision to_product_precision(const char* where, nb::handle given) {
  glossa::Precision precision{};
  convert_name(where, given, training_precision_names, precision);
  return precision;
}

}  // namespace glossa::python
