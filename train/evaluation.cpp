#include "train/evaluation.h"

#include <cmath>

#include "train/criterion.h"

namespace glossa {

CorpusLoss corpus_loss(const Transformer<float>& model, const EncodedCorpus& corpus, const DataConfig& config) {
  Context<float> context;
  Batch batch;
  BatchRows rows;
  CorpusLoss total;
  for (const std::vector<int>& indices : Sampler(corpus, sampler_options(config, 0)).epoch(0, false)) {
    fill_batch(batch, corpus, indices, layout(config));
    rows.assign(batch);
    context.begin({.training = false, .recording = false});
    const CrossEntropy<float> loss = batch_loss(context, model, batch, rows, corpus.specials.pad, 0);
    total.nll_sum += loss.nll_sum;
    total.tokens += loss.count;
  }
  return total;
}

double perplexity(double loss) { return std::exp(loss); }

Translator::Translator(const Transformer<float>& model, const Tokenizers& tokenizers, const DataConfig& data,
                       const DecodeConfig& decode)
    : model_(model),
      tokenizers_(tokenizers),
      data_(data),
      options_{.beam = decode.beam,
               .length_penalty = static_cast<LengthPenalty>(decode.length_penalty),
               .alpha = decode.alpha,
               .max_length_factor = decode.max_length_factor,
               .max_length_extra = decode.max_length_extra,
               .max_tokens = decode.max_tokens,
               .sample = decode.sample,
               .temperature = decode.temperature,
               .seed = static_cast<std::uint64_t>(decode.seed)} {}

std::vector<std::string> Translator::translate(std::span<const std::string> lines, std::string_view name,
                                               std::int64_t first_line) {
  const SpecialIds& specials = tokenizers_.source->specials();
  std::vector<std::vector<int>> sources;
  std::vector<std::size_t> line_of;
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<int> ids = tokenizers_.source->encode(normalise(data_, lines[i]));
    if (ids.empty()) continue;
    std::vector<int> source;
    if (data_.source_bos) source.push_back(specials.bos);
    source.insert(source.end(), ids.begin(), ids.end());
    if (data_.source_eos) source.push_back(specials.eos);
    check(static_cast<Index>(source.size()) <= model_.options().max_positions,
          fmt::format("{}:{}", name, first_line + static_cast<std::int64_t>(i)),
          "expected at most {} tokens (model.max_positions); got {}. Hint: split the line into sentences",
          model_.options().max_positions, source.size());
    sources.push_back(std::move(source));
    line_of.push_back(i);
    numbers.push_back(first_line + static_cast<std::int64_t>(i));
  }
  std::vector<std::string> results(lines.size());
  const std::vector<Hypothesis> found = searcher_.decode(model_, sources, specials, options_, numbers);
  for (std::size_t i = 0; i < found.size(); ++i) results[line_of[i]] = tokenizers_.target->decode(found[i].tokens);
  return results;
}

double exact_match(std::span<const std::string> hypotheses, std::span<const std::string> references) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) equal += hypotheses[i] == references[i];
  return hypotheses.empty() ? 0 : static_cast<double>(equal) / static_cast<double>(hypotheses.size());
}

}  // namespace glossa
