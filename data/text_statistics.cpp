#include "data/text_statistics.h"

#include <algorithm>

#include "data/text/sentences.h"
#include "data/text/word_count.h"

namespace glossa {

TextStatistics text_statistics(const ParallelCorpus& text, const EncodedCorpus& encoded) {
  constexpr std::size_t sample = 100'000;
  LineLengths lengths;
  for (const std::size_t pair : encoded.origin) lengths.add(text.source[pair]);
  TextStatistics found{.usual_words = lengths.quantile(0.95)};
  const std::size_t step = encoded.origin.size() / sample + 1;
  std::int64_t lines = 0, several = 0;
  for (std::size_t i = 0; i < encoded.origin.size(); i += step, ++lines)
    several += split_sentences(text.source[encoded.origin[i]]).size() > 1;
  if (lines > 0) found.several_percent = 100 * several / lines;
  return found;
}

}  // namespace glossa
