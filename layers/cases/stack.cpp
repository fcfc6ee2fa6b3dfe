#include "layers/cases/layer_case.h"
#include "layers/cases/layer_layouts.h"
#include "layers/decoder.h"
#include "layers/encoder.h"

namespace glossa {

namespace {

constexpr Index stack_width = 8;

struct StackVariant {
  const char* name;
  NormPlace norm;
  Activation activation;
  bool bias, final_norm, causal = false;
  NormKind norm_kind = NormKind::layer;
};

StackOptions options_of(const StackVariant& variant, Index layers) {
  return {.layers = layers,
          .width = stack_width,
          .heads = 2,
          .causal = variant.causal,
          .feed_forward = 10,
          .norm = variant.norm,
          .final_norm = variant.final_norm,
          .norm_kind = variant.norm_kind,
          .activation = variant.activation,
          .bias = variant.bias,
          .residual_dropout = 0.2,
          .attention_dropout = 0.3,
          .activation_dropout = 0.1};
}

/// Adds rows for Layer(store, scope, options), with the source only, or with the target and the source as memory.
template <template <class> class Layer, bool has_memory>
void add_rows(LayerCases& cases, const std::string& layer_name, Index layers) {
  constexpr StackVariant variants[] = {{"pre_relu", NormPlace::pre, Activation::relu, true, true},
                                       {"post_relu", NormPlace::post, Activation::relu, true, true},
                                       {"pre_gelu_no_bias", NormPlace::pre, Activation::gelu, false, true},
                                       {"post_silu_no_final_norm", NormPlace::post, Activation::silu, true, false},
                                       {"post_geglu_no_bias", NormPlace::post, Activation::geglu, false, true},
                                       {"pre_rms", NormPlace::pre, Activation::relu, true, true, false, NormKind::rms}};
  constexpr StackVariant causal{"pre_gelu_causal", NormPlace::pre, Activation::gelu, true, true, true};
  std::vector<StackVariant> all(std::begin(variants), std::end(variants));
  if (!has_memory) all.push_back(causal);
  for (const StackVariant& variant : all)
    for (const CaseLayouts* const layouts : case_layouts) {
      const StackOptions options = options_of(variant, layers);
      const RowLayout source = layouts->source, target = layouts->target;
      std::vector<CaseInput> inputs{{source.rows, stack_width}};
      if (has_memory) inputs.push_back({target.rows, stack_width});
      cases.add_layer<Layer>(
          fmt::format("{}.{}_{}", layer_name, variant.name, layouts->name), inputs,
          [=](const auto& layer, auto x) {
            if constexpr (has_memory)
              return layer(x[1], target, x[0], source);
            else
              return layer(x[0], source);
          },
          options);
    }
}

}  // namespace

void add_stack_cases(LayerCases& cases) {
  add_rows<EncoderLayer, false>(cases, "EncoderLayer", 1);
  add_rows<Encoder, false>(cases, "Encoder", 2);
  add_rows<DecoderLayer, true>(cases, "DecoderLayer", 1);
  add_rows<Decoder, true>(cases, "Decoder", 2);
}

}  // namespace glossa
