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
  std::int64_t usual_words = 0;       // word count that covers 95 % of the sources; 0: unknown
  std::int64_t several_percent = -1;  // percentage of the sources with several sentences; -1: unknown

  /// True unless many sources have several sentences. Only a model that saw many sources with several sentences can
  /// translate them well; other models mix the sentences up.
  bool has_one_sentence_a_line() const { return several_percent <= 20; }
};

/// Percentage of these sources with several sentences; -1 without sources. `language` is their language, if known.
std::int64_t several_percent(const ParallelCorpus& text, std::span<const std::size_t> pairs, std::string_view language);

/// Returns the statistics of the encoded pairs' sources. `text` is the corpus before encoding. For a large corpus,
/// looks for sentences only in a sample of the lines. `language` is the sources' language, if known.
TextStatistics text_statistics(const ParallelCorpus& text, const EncodedCorpus& encoded,
                               std::string_view language = {});

}  // namespace glossa
