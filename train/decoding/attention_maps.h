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

/// Where a model looked while it read a sentence and wrote its translation.
struct AttentionMaps {
  using Head = std::vector<std::vector<float>>;  ///< [query][key]; a row adds up to 1
  using Layers = std::vector<std::vector<Head>>;

  std::vector<std::string> source;  ///< tokens as the encoder reads them: its queries, and the keys of `cross`
  std::vector<std::string> target;  ///< as the decoder reads them, from <s> on: its queries, and the keys of `decoder`
  std::vector<std::string> output;  ///< what each row of the decoder writes: `target` one later, </s> last
  Layers encoder, decoder, cross;   ///< [layer][head]
};

/// Who gets the maps of a pair, and its index in the corpus.
using UseAttention = std::function<void(int pair, AttentionMaps maps)>;

/// Runs the model over pairs (teacher forcing), up to `max_tokens` rows together, and hands on what it looked at, pair
/// by pair in no certain order.
void for_each_attention(Context<float>& context, const Transformer<float>& model, const Tokenizers& tokenizers,
                        const EncodedCorpus& pairs, std::int64_t max_tokens, const UseAttention& use);

/// The mean over the heads of a layer.
AttentionMaps::Head mean_of_heads(const std::vector<AttentionMaps::Head>& heads);

/// The layer of cross-attention that aligns words best: the last but one, where there are two (Garg et al. 2019).
inline Index usual_alignment_layer(Index layers) { return layers > 1 ? layers - 2 : 0; }

/// Words of the source with words of the translation, counted from 0.
using Alignment = std::vector<std::pair<Index, Index>>;

/// For each word that was written the word of the source that `head`, [written token][source token], looked at most;
/// of equal ones the first. `source_words` and `output_words` say of which word each token is, -1: of none.
Alignment align_words(const AttentionMaps::Head& head, std::span<const int> source_words,
                      std::span<const int> output_words);

/// Adds source, target, output, and encoder, decoder, cross as [layer][head][query][key], each number so that it reads
/// back to the same bits.
JsonLine& add_to(JsonLine& json, const AttentionMaps& maps);

/// The same as an object on one line.
std::string to_json(const AttentionMaps& maps);

}  // namespace glossa
