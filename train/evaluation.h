#pragma once

#include <string>
#include <vector>

#include "train/bleu.h"
#include "train/datasets.h"
#include "train/decoding.h"
#include "train/model_factory.h"

namespace glossa {

/// Unsmoothed natural-log cross-entropy of a corpus: sum over target tokens (</s> included) and their number.
struct CorpusLoss {
  double nll_sum = 0;
  std::int64_t tokens = 0;

  double per_token() const { return tokens == 0 ? 0 : nll_sum / static_cast<double>(tokens); }
};

/// In evaluation mode (no dropout), batch by batch in order of length; `context` lends its memory and begins new steps.
CorpusLoss corpus_loss(Context<float>& context, const Transformer<float>& model, const EncodedCorpus& corpus,
                       const DataConfig& config);

/// exp of the loss per token.
double perplexity(double loss);

/// Translates lines of text with a model: normalise, encode, search, decode. Not for several threads at once.
class Translator {
 public:
  Translator(const Transformer<float>& model, const Tokenizers& tokenizers, const DataConfig& data,
             const DecodeConfig& decode);

  /// One translation a line, in order; an empty line gives an empty one. Throws as `encode`.
  std::vector<std::string> translate(std::span<const std::string> lines, std::string_view name,
                                     std::int64_t first_line = 1);

  /// From now on `watch` gets the number of sentences of each batch whose search is done, from one thread at a time.
  void watch(std::function<void(Index)> watch) { watch_ = std::move(watch); }

  /// Lines as the model reads them; those without a token are left out.
  struct Sources {
    std::vector<std::vector<int>> ids;
    std::vector<std::int64_t> numbers;  // of their lines
  };

  /// The first part of `translate`. A line longer than the model's positions, or with a token that the vocabulary can
  /// not stand for, is an Error that names it: `name`:number, counted from `first_line`.
  Sources encode(std::span<const std::string> lines, std::string_view name, std::int64_t first_line = 1) const;

  /// The second part: the search alone.
  std::vector<Hypothesis> search(const Sources& sources);

 private:
  const Transformer<float>& model_;
  Tokenizers tokenizers_;
  DataConfig data_;
  DecodeOptions options_;
  Searcher<float> searcher_;
  std::function<void(Index)> watch_;
};

/// How BLEU is counted in a run; where the configuration leaves the tokenizer open, by 13a.
BleuOptions bleu_options(const Config& config);

/// Fraction of lines that are equal.
double exact_match(std::span<const std::string> hypotheses, std::span<const std::string> references);

}  // namespace glossa
