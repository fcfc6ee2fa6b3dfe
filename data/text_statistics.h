#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "data/encoded_corpus.h"
#include "data/parallel_corpus.h"

namespace glossa {

/// Statistics of a model's training text. Text to translate should be similar.
struct TextStatistics {
  std::int64_t usual_words = 0;       // word count that 95 % of the sources do not exceed; 0: unknown
  std::int64_t several_percent = -1;  // percentage of the sources that have several sentences; -1: unknown

  /// True unless many sources have several sentences. Such a model can translate several at once; others mix them up.
  bool has_one_sentence_a_line() const { return several_percent <= 20; }
};

/// Percentage of these sources that have several sentences; -1 without a source. `language` is theirs, if known.
std::int64_t several_percent(const ParallelCorpus& text, std::span<const std::size_t> pairs, std::string_view language);

/// Returns the statistics of the encoded pairs' sources. `text` is the corpus before encoding. Of a large corpus, looks
/// for sentences in a sample of the lines. `language` is that of the sources, if known.
TextStatistics text_statistics(const ParallelCorpus& text, const EncodedCorpus& encoded,
                               std::string_view language = {});

}  // namespace glossa
