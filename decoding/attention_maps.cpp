#include "decoding/attention_maps.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "data/batch.h"
#include "data/sampler.h"

namespace glossa {

namespace {

std::vector<std::string> names(const Tokenizer& tokenizer, std::span<const int> ids) {
  std::vector<std::string> tokens;
  for (const int id : ids) tokens.push_back(tokenizer.token(id));
  return tokens;
}

/// Returns the attention weights of sequence `i` in all layers. Each layer stores its weights sequence by sequence.
AttentionMaps::Layers of_sequence(const LayerWeights<float>& layers, std::size_t heads, std::size_t i,
                                  std::span<const RowSpan> queries, std::span<const RowSpan> keys) {
  std::size_t begin = 0;
  for (std::size_t k = 0; k < i; ++k) begin += heads * static_cast<std::size_t>(queries[k].length) * keys[k].length;
  AttentionMaps::Layers maps;
  for (const std::vector<float>& layer : layers) {
    auto next = layer.begin() + static_cast<std::ptrdiff_t>(begin);
    std::vector<AttentionMaps::Head>& of_layer = maps.emplace_back(heads);
    for (AttentionMaps::Head& head : of_layer)
      for (Index q = 0; q < queries[i].length; ++q, next += keys[i].length) {
        head.emplace_back(next, next + keys[i].length);
        check(!std::isnan(head.back().front()), "attention",
              "expected attention weights; got NaN from the model. Hint: its training diverged or its checkpoint is "
              "damaged");
      }
  }
  return maps;
}

}  // namespace

void for_each_attention(Context<float>& context, const Transformer<float>& model, const Tokenizers& tokenizers,
                        const EncodedCorpus& pairs, const DecodeOptions& options, const UseAttention& use) {
  if (pairs.size() == 0) return;
  const auto heads = static_cast<std::size_t>(model.options().stack.heads);
  const Sampler sampler(pairs, {.max_tokens = options.max_tokens});
  Batch batch;
  for (const std::span<const int> indices : sampler.epoch(0, false)) {
    fill_batch(batch, pairs, indices, Layout::packed);
    context.begin({.training = false, .recording = false, .precision = options.precision});
    AttentionWeights<float> weights;
    const Variable<float> memory = model.encode(context, batch.source, batch.source_layout(), &weights);
    model.decode(context, batch.target_in, batch.target_layout(), memory, batch.source_layout(), &weights);
    const std::span<const RowSpan> sources = batch.source_spans, targets = batch.target_spans;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto of = [](std::span<const int> ids, const RowSpan& span) {
        return ids.subspan(static_cast<std::size_t>(span.offset), static_cast<std::size_t>(span.length));
      };
      use(static_cast<int>(batch.sentence_ids[i]),
          {.source = names(*tokenizers.source, of(batch.source, sources[i])),
           .target = names(*tokenizers.target, of(batch.target_in, targets[i])),
           .output = names(*tokenizers.target, of(batch.target_out, targets[i])),
           .encoder = of_sequence(weights.encoder, heads, i, sources, sources),
           .decoder = of_sequence(weights.decoder, heads, i, targets, targets),
           .cross = of_sequence(weights.cross, heads, i, targets, sources)});
    }
  }
}

AttentionMaps::Head mean_of_heads(const std::vector<AttentionMaps::Head>& heads) {
  AttentionMaps::Head mean = heads.front();
  for (std::size_t q = 0; q < mean.size(); ++q)
    for (std::size_t k = 0; k < mean[q].size(); ++k) {
      double sum = 0;
      for (const AttentionMaps::Head& head : heads) sum += double{head[q][k]};
      mean[q][k] = static_cast<float>(sum / static_cast<double>(heads.size()));
    }
  return mean;
}

Alignment align_words(const AttentionMaps::Head& head, std::span<const int> source_words,
                      std::span<const int> output_words) {
  const auto count = [](std::span<const int> words) {
    return words.empty() ? 0 : static_cast<std::size_t>(*std::ranges::max_element(words) + 1);
  };
  const std::size_t sources = count(source_words), outputs = count(output_words);
  Alignment alignment;
  for (std::size_t word = 0; word < outputs && sources > 0; ++word) {
    std::vector<double> looked(sources, 0);
    for (std::size_t q = 0; q < output_words.size(); ++q)
      for (std::size_t k = 0; k < source_words.size(); ++k)
        if (output_words[q] == static_cast<int>(word) && source_words[k] >= 0)
          looked[static_cast<std::size_t>(source_words[k])] += double{head[q][k]};
    alignment.emplace_back(std::ranges::max_element(looked) - looked.begin(), word);
  }
  return alignment;
}

}  // namespace glossa
