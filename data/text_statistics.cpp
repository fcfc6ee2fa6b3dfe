#include "data/text_statistics.h"

#include <vector>

#include "data/text/sentences.h"
#include "data/text/utf8.h"
#include "data/text/word_count.h"

namespace glossa {
namespace {

/// True for a line without capitals in a script that has capitals: the text was lowercased (data.lowercase) or never
/// had any.
bool lacks_capitals(std::string_view line) {
  bool has_lower = false, has_upper = false;
  utf8::for_each(line, [&](std::string_view, utf8::CodePoint c) {
    has_lower = has_lower || utf8::is_lower(c.value);
    has_upper = has_upper || utf8::is_upper(c.value);
  });
  return has_lower && !has_upper;
}

}  // namespace

std::int64_t several_percent(const ParallelCorpus& text, std::span<const std::size_t> pairs,
                             std::string_view language) {
  std::int64_t several = 0;
  for (const std::size_t pair : pairs) {
    const std::string& line = text.source[pair];
    several += (lacks_capitals(line) ? split_lowercased(line, language) : split_sentences(line, language)).size() > 1;
  }
  return pairs.empty() ? -1 : 100 * several / std::ssize(pairs);
}

TextStatistics text_statistics(const ParallelCorpus& text, const EncodedCorpus& encoded, std::string_view language) {
  constexpr std::size_t sample = 100'000;
  LineLengths lengths;
  for (const std::size_t pair : encoded.origin) lengths.add(text.source[pair]);
  std::vector<std::size_t> some;
  const std::size_t step = encoded.origin.size() / sample + 1;
  for (std::size_t i = 0; i < encoded.origin.size(); i += step) some.push_back(encoded.origin[i]);
  return {.usual_words = lengths.quantile(0.95), .several_percent = several_percent(text, some, language)};
}

}  // namespace glossa
