#include "layers/cases/article_options.h"
#include "layers/cases/layer_case.h"
#include "layers/cases/layer_layouts.h"
#include "layers/cases/small_transformer.h"

namespace glossa {

namespace {

/// Ids for a batch: word(sequence, position) in the rows of its sequences, `pad` in the gaps.
template <class Word>
std::vector<int> fill(const RowLayout& layout, int pad, const Word& word) {
  std::vector<int> ids(static_cast<std::size_t>(layout.rows), pad);
  for (Index b = 0; b < layout.sequence_count(); ++b)
    for (Index t = 0; t < layout.sequences[b].length; ++t) ids[layout.sequences[b].offset + t] = word(b, t);
  return ids;
}

LayerCase model_case(const std::string& name, const TransformerOptions& options, const CaseLayouts& layouts) {
  constexpr int vocabulary = 9, pad = 1, start = 2, words = 3;
  const RowLayout source = layouts.source, target = layouts.target;
  const auto spoken = [](Index b, Index t) { return words + static_cast<int>((3 * b + 2 * t) % (vocabulary - words)); };
  const auto said = [](Index b, Index t) { return words + static_cast<int>((b + 4 * t) % (vocabulary - words)); };
  const std::vector<int> sources = fill(source, pad, spoken), goals = fill(target, pad, said),
                         targets = fill(target, pad, [&](Index b, Index t) { return t ? said(b, t - 1) : start; });
  LayerCase row = layer_case("Transformer." + name, {}, [=]<class T>(ParameterStore<T>& store) {
    return [=, model = Transformer<T>(store, options)](Context<T>& c, Inputs<T>) {
      return cross_entropy(model(c, sources, source, targets, target), goals, pad, 0.1).sum;
    };
  });
  row.floor = 0.01;
  row.limit = 1e-6;
  row.whole_model = true;
  return row;
}

TransformerOptions small(NormPlace norm, Tied tied, bool learned_positions, Activation activation) {
  TransformerOptions options = small_transformer(
      9, 0.3, {.width = 8, .heads = 2, .feed_forward = 12, .norm = norm, .activation = activation}, 4);
  options.learned_positions = learned_positions;
  options.tied = tied;
  return options;
}

TransformerOptions with_rms_norm(TransformerOptions options) {
  options.stack.norm_kind = NormKind::rms;
  return options;
}

}  // namespace

const std::vector<LayerCase>& model_cases() {
  static const std::vector<LayerCase> cases = [] {
    const CaseLayouts &packed = packed_layouts(), &padded = padded_layouts();
    using enum NormPlace;
    std::vector<LayerCase> all{
        model_case("pre_norm_tied_all_padded", small(pre, Tied::all, false, Activation::relu), padded),
        model_case("post_norm_tied_all_padded", small(post, Tied::all, false, Activation::relu), padded),
        model_case("pre_norm_tied_output_packed", small(pre, Tied::output, true, Activation::gelu), packed),
        model_case("post_norm_untied_packed", small(post, Tied::none, false, Activation::silu), packed),
        model_case("pre_rms_norm_packed", with_rms_norm(small(pre, Tied::all, false, Activation::swiglu)), packed),
        model_case("post_rms_norm_padded", with_rms_norm(small(post, Tied::none, false, Activation::relu)), padded)};
    TransformerOptions rotary = small(pre, Tied::all, false, Activation::relu);
    rotary.stack.relative_positions = RelativePositions::rotary;
    all.push_back(model_case("rotary_padded", rotary, padded));
    TransformerOptions alibi = small(post, Tied::all, false, Activation::gelu);
    alibi.stack.relative_positions = RelativePositions::alibi;
    all.push_back(model_case("alibi_packed", alibi, packed));
    for (int article = 0; article < article_count; ++article)
      all.push_back(model_case(fmt::format("article-{}", article), article_options(article), padded));
    // Article 2: the gain scales both terms of a residual sum x + W x, and the norm of the sum cancels the factor.
    // Article 4: the final norm cancels gain and bias of the last layer's norm.
    all[all.size() - 3].without_effect = {"decoder.layers.0.norm2.weight", "decoder.layers.1.norm2.weight",
                                          "encoder.layers.0.norm1.weight", "encoder.layers.1.norm1.weight"};
    all.back().without_effect = {"decoder.layers.1.norm3.bias", "decoder.layers.1.norm3.weight",
                                 "encoder.layers.1.norm2.bias", "encoder.layers.1.norm2.weight"};
    return all;
  }();
  return cases;
}

}  // namespace glossa
