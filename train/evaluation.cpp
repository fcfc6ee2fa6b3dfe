#include "train/evaluation.h"

#include <cmath>

#include "train/criterion.h"

namespace glossa {

CorpusLoss corpus_loss(Context<float>& context, const Transformer<float>& model, const EncodedCorpus& corpus,
                       const DataConfig& config) {
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

auto Translator::encode(std::span<const std::string> lines, std::string_view name, std::int64_t first_line) const
    -> Sources {
  const SpecialIds& specials = tokenizers_.source->specials();
  Sources sources;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::int64_t number = first_line + static_cast<std::int64_t>(i);
    const std::vector<int> ids = tokenizers_.source->encode_line(normalise(data_, lines[i]), name, number);
    if (ids.empty()) continue;
    std::vector<int> source;
    if (data_.source_bos) source.push_back(specials.bos);
    source.insert(source.end(), ids.begin(), ids.end());
    if (data_.source_eos) source.push_back(specials.eos);
    check(std::ssize(source) <= model_.options().max_positions, fmt::format("{}:{}", name, number),
          "expected at most {} tokens (model.max_positions); got {}. Hint: split the line into sentences",
          model_.options().max_positions, source.size());
    sources.ids.push_back(std::move(source));
    sources.numbers.push_back(number);
  }
  return sources;
}

std::vector<Hypothesis> Translator::search(const Sources& sources) {
  return searcher_.decode(model_, sources.ids, tokenizers_.source->specials(), options_, sources.numbers, watch_);
}

std::vector<std::string> Translator::translate(std::span<const std::string> lines, std::string_view name,
                                               std::int64_t first_line) {
  const Sources sources = encode(lines, name, first_line);
  const std::vector<Hypothesis> found = search(sources);
  std::vector<std::string> results(lines.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    results[sources.numbers[i] - first_line] = tokenizers_.target->decode(found[i].tokens);
  return results;
}

BleuOptions bleu_options(const Config& config) {
  return {.lowercase = config.data.lowercase,  // the text is: the signature says so
          .tokenizer = config.train.bleu_tokenize.value_or(BleuOptions().tokenizer)};
}

double exact_match(std::span<const std::string> hypotheses, std::span<const std::string> references) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) equal += hypotheses[i] == references[i];
  return hypotheses.empty() ? 0 : static_cast<double>(equal) / static_cast<double>(hypotheses.size());
}

}  // namespace glossa
