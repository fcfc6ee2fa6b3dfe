#include "layers/cases/model_case.h"

#include "layers/cases/layer_layouts.h"
#include "layers/transformer.h"

namespace glossa {

namespace {

struct Variant {
  const char* name;
  NormPlace norm;
  Tied tied;
  bool learned_positions;
  Activation activation;
  const CaseLayouts& layouts;
};

/// Ids for the sentences of a batch: word(sentence, place) in their rows, `pad` in the gaps.
template <class Word>
std::vector<int> fill(const RowLayout& layout, int pad, const Word& word) {
  std::vector<int> ids(static_cast<std::size_t>(layout.rows), pad);
  for (Index b = 0; b < layout.sentence_count(); ++b)
    for (Index t = 0; t < layout.sentences[b].length; ++t) ids[layout.sentences[b].offset + t] = word(b, t);
  return ids;
}

LayerCase model_case(const Variant& variant) {
  constexpr int vocabulary = 9, pad = 1, start = 2, words = 3;
  const RowLayout source = variant.layouts.source, target = variant.layouts.target;
  const auto spoken = [](Index b, Index t) { return words + static_cast<int>((3 * b + 2 * t) % (vocabulary - words)); };
  const auto said = [](Index b, Index t) { return words + static_cast<int>((b + 4 * t) % (vocabulary - words)); };
  const std::vector<int> sources = fill(source, pad, spoken), goals = fill(target, pad, said),
                         targets = fill(target, pad, [&](Index b, Index t) { return t ? said(b, t - 1) : start; });
  const TransformerOptions options{.source_vocabulary = vocabulary,
                                   .target_vocabulary = vocabulary,
                                   .stack = {.width = 8,
                                             .heads = 2,
                                             .feed_forward = 12,
                                             .norm = variant.norm,
                                             .activation = variant.activation,
                                             .residual_dropout = 0.3,
                                             .attention_dropout = 0.3,
                                             .activation_dropout = 0.3},
                                   .encoder_layers = 2,
                                   .decoder_layers = 2,
                                   .embedding_dropout = 0.3,
                                   .learned_positions = variant.learned_positions,
                                   .max_positions = 4,
                                   .tied = variant.tied};
  LayerCase row = layer_case(fmt::format("Transformer.{}", variant.name), {}, [=]<class T>(ParameterStore<T>& store) {
    return [=, model = Transformer<T>(store, options)](Context<T>& c, Inputs<T>) {
      return cross_entropy(model(c, sources, source, targets, target), goals, pad, 0.1).sum;
    };
  });
  row.floor = 0.01;
  row.limit = 1e-7;
  return row;
}

}  // namespace

const std::vector<LayerCase>& model_cases() {
  static const std::vector<LayerCase> cases = [] {
    const Variant variants[] = {
        {"pre_norm_tied_all_padded", NormPlace::pre, Tied::all, false, Activation::relu, padded_layouts()},
        {"post_norm_tied_all_padded", NormPlace::post, Tied::all, false, Activation::relu, padded_layouts()},
        {"pre_norm_tied_output_packed", NormPlace::pre, Tied::output, true, Activation::gelu, packed_layouts()},
        {"post_norm_untied_packed", NormPlace::post, Tied::none, false, Activation::silu, packed_layouts()}};
    std::vector<LayerCase> all;
    for (const Variant& variant : variants) all.push_back(model_case(variant));
    return all;
  }();
  return cases;
}

}  // namespace glossa
