#include "data/tokenizers/vocabulary_tokenizer.h"

#include "base/check.h"

namespace glossa {

std::vector<int> VocabularyTokenizer::encode(std::string_view text) const {
  std::vector<int> ids;
  for (const std::string_view piece : split(text)) {
    ids.push_back(vocabulary_.id(piece));
    check(ids.back() >= 0, kind(),
          "expected a token of the vocabulary, which has no <unk>; got `{}`. Hint: a vocabulary with an id for <unk> "
          "accepts any token",
          piece);
  }
  return ids;
}

std::string VocabularyTokenizer::decode(std::span<const int> ids) const {
  std::vector<std::string_view> pieces;
  for (const int id : ids) {
    const std::string& piece = vocabulary_.token(id);
    if (!specials().contains(id) || id == specials().unk) pieces.push_back(piece);
  }
  return join(pieces);
}

}  // namespace glossa
