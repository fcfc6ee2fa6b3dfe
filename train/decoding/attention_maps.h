#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "data/encoded_corpus.h"
#include "layers/transformer.h"
#include "train/console/json_line.h"
#include "train/corpora/datasets.h"

namespace glossa {

/// Attention of a model over one sentence and its translation.
struct AttentionMaps {
  using Head = std::vector<std::vector<float>>;  ///< [query][key]; a row adds up to 1
  using Layers = std::vector<std::vector<Head>>;

  std::vector<std::string> source;  ///< tokens as the encoder reads them: its queries, and the keys of `cross`
  std::vector<std::string> target;  ///< as the decoder reads them, from <s> on: its queries, and the keys of `decoder`
  std::vector<std::string> output;  ///< output of each decoder row: `target` shifted by one, </s> last
  Layers encoder, decoder, cross;   ///< [layer][head]
};

/// Receives the maps of a pair, and its index in the corpus.
using UseAttention = std::function<void(int pair, AttentionMaps maps)>;

/// Runs the model over pairs (teacher forcing), up to `max_tokens` rows together, and passes on the attention of each
/// pair, in any order.
void for_each_attention(Context<float>& context, const Transformer<float>& model, const Tokenizers& tokenizers,
                        const EncodedCorpus& pairs, std::int64_t max_tokens, const UseAttention& use);

/// Mean over a layer's heads.
AttentionMaps::Head mean_of_heads(const std::vector<AttentionMaps::Head>& heads);

/// Cross-attention layer that aligns words best: the last but one, if there are two (Garg et al. 2019).
inline Index usual_alignment_layer(Index layers) { return layers > 1 ? layers - 2 : 0; }

/// Source words paired with translation words, counted from 0.
using Alignment = std::vector<std::pair<Index, Index>>;

/// For each written word, finds the source word with the most attention in `head`, [written token][source token]; ties
/// go to the first. `source_words` and `output_words` give each token's word, -1: none.
Alignment align_words(const AttentionMaps::Head& head, std::span<const int> source_words,
                      std::span<const int> output_words);

/// Adds source, target, output, and encoder, decoder, cross as [layer][head][query][key]; numbers read back to the same
/// bits.
JsonLine& add_to(JsonLine& json, const AttentionMaps& maps);

/// The maps as an object on one line.
std::string to_json(const AttentionMaps& maps);

}  // namespace glossa
