#include "python/binding/layer_options.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"
#include "base/nearest_name.h"
#include "config/config.h"
#include "python/binding/array.h"
#include "python/binding/initializer.h"

namespace glossa::python {

namespace {

// The strings that name an enum's values, in their order.
using Names = std::vector<const char*>;
Names strings_of(Activation) { return activation_names; }
Names strings_of(AttentionBias) { return {"all", "output", "none"}; }
Names strings_of(EpsilonPlace) { return {"inside", "outside"}; }
Names strings_of(LengthPenalty) { return {"none", "power", "gnmt"}; }
Names strings_of(NormAffine) { return {"vector", "scalar", "gain", "none"}; }
Names strings_of(NormKind) { return {"layer", "rms"}; }
Names strings_of(NormPlace) { return {"pre", "post"}; }
Names strings_of(Positions) { return {"none", "sinusoidal", "learned"}; }
Names strings_of(glossa::Precision) { return training_precision_names; }
Names strings_of(RelativePositions) { return {"none", "rotary", "alibi"}; }
Names strings_of(Search) { return {"glossa", "huggingface"}; }
Names strings_of(Similarity) { return {"scaled_dot", "dot", "general", "additive"}; }
Names strings_of(Sinusoid) { return {"interleaved", "halves", "raw_index", "sorted"}; }
Names strings_of(Tied) { return {"none", "output", "all", "embeddings"}; }

/// Returns the enumerator that a string names. Throws a misuse error at `where` for anything else.
template <Enum E>
E to_enum(const char* where, nb::handle given) {
  const Names names = strings_of(E{});
  std::string name;
  const bool is_string = nb::try_cast(given, name);
  const auto found = std::ranges::find(names, name);
  if (!is_string || found == names.end())
    misuse(where, "expected one of {}; got {}", fmt::join(names, ", "), string_of(nb::repr(given)));
  return static_cast<E>(found - names.begin());
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

template <Enum E>
void LayerOptions::convert(const char* where, nb::handle given, E& value) {
  value = to_enum<E>(where, given);
}

template void LayerOptions::convert(const char*, nb::handle, Positions&);
template void LayerOptions::convert(const char*, nb::handle, Sinusoid&);

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
  return to_enum<glossa::Precision>(where, given);
}

}  // namespace glossa::python
