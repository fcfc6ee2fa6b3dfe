#include "layers/attention.h"

#include <limits>

#include "layers/cases/layer_case.h"
#include "layers/cases/layer_layouts.h"

namespace glossa {

namespace {

constexpr Index width = 8;

struct AttentionVariant {
  const char* name;
  Index heads;
  AttentionBias bias;
  bool causal, masked;
  Similarity similarity = Similarity::scaled_dot;
  Index head_width = 0, key_heads = 0;
  RelativePositions relative_positions = RelativePositions::none;
};

/// Additive masks [3, 4] (cross) and [4, 4] (self): some cells blocked, some lowered or raised, row 1 blocked entirely.
template <class T>
Tensor<T> sample_mask(Index rows) {
  constexpr T blocked = -std::numeric_limits<T>::infinity();
  static T cells[] = {0,       blocked, T{-1} / 2, 0,        //
                      blocked, blocked, blocked,   blocked,  //
                      T{1},    0,       0,         blocked,  //
                      blocked, 0,       0,         T{-1}};
  return {std::span(cells).first(static_cast<std::size_t>(rows * 4)), {rows, 4}};
}

}  // namespace

void add_attention_cases(LayerCases& cases) {
  using enum AttentionBias;
  using enum Similarity;
  using RelativePositions::alibi, RelativePositions::rotary;
  constexpr AttentionVariant variants[] = {{"", 2, all, false, false},
                                           {"_one_head_no_bias", 1, none, false, false},
                                           {"_output_bias", 2, output, false, false},
                                           {"_causal", 4, all, true, false},
                                           {"_masked", 2, all, false, true},
                                           {"_wide_heads", 2, none, true, false, scaled_dot, 8},
                                           {"_dot", 2, all, false, false, dot},
                                           {"_general", 2, none, false, false, general},
                                           {"_general_causal", 2, all, true, false, general, 3},
                                           {"_general_masked", 2, all, false, true, general},
                                           {"_additive", 2, none, false, false, additive},
                                           {"_additive_causal", 2, all, true, false, additive, 3},
                                           {"_additive_masked", 2, all, false, true, additive},
                                           {"_grouped", 4, all, true, false, scaled_dot, 0, 2},
                                           {"_one_key_head", 4, none, false, true, scaled_dot, 3, 1},
                                           {"_general_grouped", 4, output, false, false, general, 0, 2},
                                           {"_additive_grouped", 4, all, true, false, additive, 3, 2},
                                           {"_rotary", 2, all, false, false, scaled_dot, 0, 0, rotary},
                                           {"_rotary_causal", 2, none, true, false, dot, 6, 0, rotary},
                                           {"_rotary_grouped", 4, all, true, false, scaled_dot, 4, 2, rotary},
                                           {"_alibi", 4, all, false, true, scaled_dot, 0, 0, alibi},
                                           {"_alibi_general", 2, none, true, false, general, 3, 0, alibi},
                                           {"_alibi_grouped", 4, all, true, false, scaled_dot, 3, 2, alibi}};
  for (const CaseLayouts* const layouts : case_layouts)
    for (const AttentionVariant& variant : variants) {
      const AttentionLayerOptions options{.width = width,
                                          .heads = variant.heads,
                                          .key_heads = variant.key_heads,
                                          .head_width = variant.head_width,
                                          .similarity = variant.similarity,
                                          .dropout = 0.3,
                                          .bias = variant.bias,
                                          .causal = variant.causal,
                                          .relative_positions = variant.relative_positions,
                                          .rotary_base = 50};
      const RowLayout source = layouts->source, target = layouts->target;
      cases.add_layer<SelfAttention>(
          fmt::format("SelfAttention.{}{}", layouts->name, variant.name), {{source.rows, width}},
          [=]<class T>(const SelfAttention<T>& layer, Inputs<T> x) {
            const Tensor<T> mask = sample_mask<T>(4);
            return layer(x[0], source, variant.masked ? &mask : nullptr);
          },
          options);
      if (variant.relative_positions != RelativePositions::none) continue;
      cases.add_layer<CrossAttention>(
          fmt::format("CrossAttention.{}{}", layouts->name, variant.name), {{target.rows, width}, {source.rows, width}},
          [=]<class T>(const CrossAttention<T>& layer, Inputs<T> x) {
            const Tensor<T> mask = sample_mask<T>(3);
            return layer(x[0], target, x[1], source, variant.masked ? &mask : nullptr);
          },
          options);
    }

  // Queries, keys and values come from one variable and use the projections of cross-attention.
  cases.add_layer<CrossAttention>(
      "CrossAttention.with_itself", {{5, width}},
      [](const auto& layer, auto x) { return layer(x[0], packed_2_3(), x[0], packed_2_3()); },
      AttentionLayerOptions{.width = width, .heads = 2, .dropout = 0.3});

  // AttentionHeads, shared by self-attention and cross-attention. The row `two` has queries in one variable, keys and
  // values in another; the row `one` has all in one variable.
  for (const Similarity similarity : {scaled_dot, general}) {
    const AttentionLayerOptions options{.width = width, .heads = 2, .similarity = similarity, .dropout = 0.3};
    const char* const name = similarity == general ? "general" : "scaled_dot";
    cases.add_layer<AttentionHeads>(
        fmt::format("AttentionHeads.two_{}", name), {{5, width}, {5, 2 * width}},
        [](const auto& heads, auto x) { return heads(x[0], x[1], packed_2_3(), packed_2_3(), /*causal=*/true); },
        options);
    cases.add_layer<AttentionHeads>(
        fmt::format("AttentionHeads.one_{}", name), {{5, 3 * width}},
        [](const auto& heads, auto x) { return heads(x[0], packed_2_3(), /*causal=*/false); }, options);
  }
}

}  // namespace glossa
