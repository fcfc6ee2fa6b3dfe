#include <tuple>

#include "layers/cases/layer_case.h"
#include "layers/cases/layer_layouts.h"
#include "layers/feed_forward.h"
#include "layers/residual.h"

namespace glossa {

void add_linear_cases(LayerCases& cases) {
  const auto applied = [](const auto& layer, auto x) { return layer(x[0]); };
  for (const bool bias : {true, false})
    cases.add_layer<Linear>(bias ? "Linear.bias" : "Linear.no_bias", {{2, 3, 4}}, applied, 4, 5,
                            LinearOptions{.bias = bias});

  constexpr NormKind layer = NormKind::layer, rms = NormKind::rms;
  const std::tuple<const char*, NormKind, NormAffine, EpsilonPlace> norms[] = {
      {"", layer, NormAffine::vector, EpsilonPlace::inside},
      {"_scalar", layer, NormAffine::scalar, EpsilonPlace::inside},
      {"_gain", layer, NormAffine::gain, EpsilonPlace::inside},
      {"_without_affine", layer, NormAffine::none, EpsilonPlace::inside},
      {"_outside", layer, NormAffine::vector, EpsilonPlace::outside},
      {"_outside_without_affine", layer, NormAffine::none, EpsilonPlace::outside},
      {"_rms", rms, NormAffine::vector, EpsilonPlace::inside},
      {"_rms_scalar", rms, NormAffine::scalar, EpsilonPlace::inside},
      {"_rms_without_affine", rms, NormAffine::none, EpsilonPlace::inside},
      {"_rms_outside", rms, NormAffine::vector, EpsilonPlace::outside}};
  for (const auto& [name, kind, affine, place] : norms) {
    const NormOptions options{.kind = kind, .epsilon = 1e-5, .affine = affine, .epsilon_place = place};
    cases.add_layer<Norm>(fmt::format("Norm.plain{}", name), {{5, 6}}, applied, 6, options);
    for (const CaseLayouts* const layouts : case_layouts) {
      const RowLayout rows = layouts->target;
      cases.add_layer<Norm>(
          fmt::format("Norm.add_{}{}", layouts->name, name), {{rows.rows, 6}, {rows.rows, 6}},
          [=](const auto& norm, auto x) { return norm.add(x[0], x[1], 0.3, rows); }, 6, options);
    }
  }

  for (const char* const name : activation_names)
    for (const CaseLayouts* const layouts : case_layouts)
      for (const bool bias : {true, false}) {
        const RowLayout rows = layouts->target;
        const FeedForwardOptions options{
            .width = 4, .hidden = 6, .activation = activation_of(name), .dropout = 0.3, .bias = bias};
        cases.add_layer<FeedForward>(
            fmt::format("FeedForward.{}_{}{}", name, layouts->name, bias ? "" : "_no_bias"), {{rows.rows, 4}},
            [=](const auto& layer, auto x) { return layer(x[0], rows); }, options);
      }

  cases.add_layer<FeedForward>(
      "FeedForward.one_matrix", {{5, 4}}, [](const auto& layer, auto x) { return layer(x[0], packed_2_3()); },
      FeedForwardOptions{.width = 4, .hidden = 0, .dropout = 0.3});

  for (const NormPlace place : {NormPlace::pre, NormPlace::post})
    for (const CaseLayouts* const layouts : case_layouts) {
      const RowLayout rows = layouts->target;
      cases.add_layer<Residual>(
          fmt::format("Residual.{}_{}", place == NormPlace::pre ? "pre" : "post", layouts->name), {{rows.rows, 6}},
          [=](const auto& layer, auto x) { return layer(x[0], rows, [](const auto& h, auto&) { return tanh(h); }); },
          StackOptions{.width = 6, .norm = place, .residual_dropout = 0.3});
    }
}

}  // namespace glossa
