#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace glossa {

/// Encodes many lines, with the same ids as the tokenizer, but faster. If the tokenizer has word_breaks, caches the ids
/// of words. Only one thread may use it at a time; copies are independent.
class LineEncoder {
 public:
  /// Keeps a reference to the tokenizer.
  explicit LineEncoder(const Tokenizer& tokenizer) : tokenizer_(&tokenizer), breaks_(tokenizer.word_breaks()) {}

  /// Like Tokenizer::encode_line.
  std::vector<int> encode_line(std::string_view text, std::string_view name, std::int64_t line);

 private:
  /// A range of `known_ids_`.
  struct Ids {
    std::size_t begin = 0, count = 0;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  bool add_words(std::string_view text, std::string_view name, std::int64_t line, std::vector<int>& ids);

  const Tokenizer* tokenizer_;
  std::optional<WordBreaks> breaks_;
  std::unordered_map<std::string, Ids, Hash, std::equal_to<>> known_;
  std::vector<int> known_ids_;
};

}  // namespace glossa
