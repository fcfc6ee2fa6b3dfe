#include "data/tokenizers/line_encoder.h"

#include <algorithm>

namespace glossa {

namespace {

/// Limits of the cache, which keep its memory below about 10 MB. Most different words occur early.
constexpr std::size_t max_words = 1 << 16, longest_word = 64;

}  // namespace

std::vector<int> LineEncoder::encode_line(std::string_view text, std::string_view name, std::int64_t line) {
  std::vector<int> ids;
  if (breaks_ && add_words(text, name, line, ids)) return ids;
  return tokenizer_->encode_line(text, name, line);
}

/// Adds the ids of all words. Returns false if one of them does not stand alone.
bool LineEncoder::add_words(std::string_view text, std::string_view name, std::int64_t line, std::vector<int>& ids) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    if (const auto at = known_.find(word); at != known_.end()) {
      const auto begin = known_ids_.begin() + static_cast<std::ptrdiff_t>(at->second.begin);
      ids.insert(ids.end(), begin, begin + static_cast<std::ptrdiff_t>(at->second.count));
      continue;
    }
    if (!breaks_->stands_alone(word)) return false;
    const std::vector<int> own = tokenizer_->encode_line(word, name, line);
    ids.insert(ids.end(), own.begin(), own.end());
    if (known_.size() == max_words || word.size() > longest_word) continue;
    known_.emplace(word, Ids{known_ids_.size(), own.size()});
    known_ids_.insert(known_ids_.end(), own.begin(), own.end());
  }
  return true;
}

}  // namespace glossa
