#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "data/corpora/datasets.h"
#include "data/encoded_corpus.h"
#include "decoding/decode_options.h"
#include "layers/transformer.h"

namespace glossa {

/// Attention weights of a model for one sentence and its translation.
struct AttentionMaps {
  using Head = std::vector<std::vector<float>>;  ///< [query][key]; each row adds up to 1
  using Layers = std::vector<std::vector<Head>>;

  std::vector<std::string> source;  ///< the encoder's input tokens: queries and keys of `encoder`, keys of `cross`
  std::vector<std::string> target;  ///< decoder input, <s> first: queries and keys of `decoder`, queries of `cross`
  std::vector<std::string> output;  ///< the decoder's output tokens: `target` shifted by one, </s> last
  Layers encoder, decoder, cross;   ///< [layer][head]

  /// Probabilities of the output tokens, each given the tokens before it; empty if not computed. The last token of an
  /// unfinished translation has no probability.
  std::vector<float> probabilities = {};
};

/// Receives a pair's index in the corpus and the pair's maps.
using UseAttention = std::function<void(int pair, AttentionMaps maps)>;

/// Runs the model over pairs with teacher forcing, in the precision of `options` and in batches of up to
/// `options.max_tokens` rows. Passes each pair's attention to `use`, in any order.
void for_each_attention(Context<float>& context, const Transformer<float>& model, const Tokenizers& tokenizers,
                        const EncodedCorpus& pairs, const DecodeOptions& options, const UseAttention& use);

/// Returns the mean over a layer's heads.
AttentionMaps::Head mean_of_heads(const std::vector<AttentionMaps::Head>& heads);

/// Returns the cross-attention layer that aligns words best (Garg et al. 2019): the second to last, or the only one.
inline Index usual_alignment_layer(Index layers) { return layers > 1 ? layers - 2 : 0; }

/// Pairs of source word and translation word, as indices from 0.
using Alignment = std::vector<std::pair<Index, Index>>;

/// For each output word, finds the source word that gets the most attention in `head`, [output token][source token].
/// Ties go to the first source word. `source_words` and `output_words` contain the word index of each token, or -1 for
/// a token without a word.
Alignment align_words(const AttentionMaps::Head& head, std::span<const int> source_words,
                      std::span<const int> output_words);

}  // namespace glossa
