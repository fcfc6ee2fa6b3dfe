#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace glossa {

/// Ids of the tokens that are not text: unknown token (-1: none), padding, begin and end of a sentence. Padding may
/// also begin a sentence; bos then equals pad.
struct SpecialIds {
  int unk = 0, pad = 1, bos = 2, eos = 3;

  bool operator==(const SpecialIds&) const = default;
  int count() const { return 2 + (unk < 0 ? 0 : 1) + (starts_with_padding() ? 0 : 1); }
  bool starts_with_padding() const { return bos == pad; }
  bool contains(int id) const { return id == pad || id == bos || id == eos || (id == unk && unk >= 0); }

  /// `<unk>`, `<pad>`, `<s>` or `</s>` for a special id, otherwise empty.
  std::string_view name(int id) const;
};

/// Throws at `where` unless all ids are distinct and in [0, vocabulary_size). There are two exceptions: unk may be -1,
/// and bos may equal pad.
void check_specials(const SpecialIds& specials, int vocabulary_size, std::string_view where);

using TokenCounts = std::unordered_map<std::string, std::int64_t>;

struct VocabularyOptions {
  SpecialIds specials = {};
  std::int64_t min_frequency = 1;  // rarer tokens are excluded
  int max_size = 0;                // limit that includes the special tokens; 0: no limit
};

/// Tokens with the ids 0, 1, 2 and so on. Special tokens have the ids in SpecialIds; the other tokens have the
/// remaining ids. Text can never name a special token: the word `</s>` in a corpus is an ordinary, unknown word.
class Vocabulary {
 public:
  /// Makes a vocabulary of tokens by falling frequency; tokens of equal frequency are in byte order. Throws for invalid
  /// special ids or sizes, and if no token is left.
  static Vocabulary build(const TokenCounts& counts, const VocabularyOptions& options = {});

  /// Reads text from `serialize`: a header, then one token per line in id order. `where` names the file. Throws at
  /// `where:line` for a damaged header, missing special tokens, and empty or duplicate tokens. Also throws if there is
  /// no ordinary token.
  static Vocabulary parse(std::string_view text, std::string_view where);

  /// Makes a vocabulary from another program's tokens, in id order; `where` names their file. Throws like `parse`.
  static Vocabulary of(std::vector<std::string> tokens, const SpecialIds& specials, std::string_view where);

  /// Returns the vocabulary as text. The first line contains the kind of tokens and the special ids.
  std::string serialize(std::string_view kind) const;

  /// Returns the kind of tokens from the header of a serialized vocabulary; empty for any other text.
  static std::string_view kind(std::string_view text);

  int size() const { return static_cast<int>(tokens_.size()); }
  const SpecialIds& specials() const { return specials_; }

  /// Id of an ordinary token; the unknown id (possibly -1) for any other string.
  int id(std::string_view token) const;

  /// Token of an id; throws if the id is out of range.
  const std::string& token(int id) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  Vocabulary(std::vector<std::string> tokens, const SpecialIds& specials, std::string_view where);

  std::vector<std::string> tokens_;
  SpecialIds specials_;
  std::unordered_map<std::string, int, Hash, std::equal_to<>> ids_;
};

}  // namespace glossa
