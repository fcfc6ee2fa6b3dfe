#include "data/text_statistics.h"

#include <algorithm>

#include "data/text/sentences.h"
#include "data/text/utf8.h"
#include "data/text/word_count.h"

namespace glossa {
namespace {

/// True for a line of a script with capitals that has none: the text was lowercased (data.lowercase), or always was so.
bool lacks_capitals(std::string_view line) {
  bool has_lower = false, has_upper = false;
  utf8::for_each(line, [&](std::string_view, utf8::CodePoint c) {
    has_lower = has_lower || utf8::is_lower(c.value);
    has_upper = has_upper || utf8::is_upper(c.value);
  });
  return has_lower && !has_upper;
}

}  // namespace

TextStatistics text_statistics(const ParallelCorpus& text, const EncodedCorpus& encoded, std::string_view language) {
  constexpr std::size_t sample = 100'000;
  LineLengths lengths;
  for (const std::size_t pair : encoded.origin) lengths.add(text.source[pair]);
  TextStatistics found{.usual_words = lengths.quantile(0.95)};
  const std::size_t step = encoded.origin.size() / sample + 1;
  std::int64_t lines = 0, several = 0;
  for (std::size_t i = 0; i < encoded.origin.size(); i += step, ++lines) {
    const std::string& line = text.source[encoded.origin[i]];
    several += (lacks_capitals(line) ? split_lowercased(line, language) : split_sentences(line, language)).size() > 1;
  }
  if (lines > 0) found.several_percent = 100 * several / lines;
  return found;
}

}  // namespace glossa
