#include "data/tokenizers/tokenizer.h"

#include <utility>

#include "base/atomic_file.h"
#include "base/check.h"
#include "data/text/fingerprint.h"
#include "data/text/place.h"
#include "data/text/text_file.h"
#include "data/tokenizers/piece_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/vocabulary_tokenizer.h"

namespace glossa {

std::vector<int> Tokenizer::encode_line(std::string_view text, std::string_view name, std::int64_t line) const {
  try {
    return encode(text);
  } catch (const Error& error) {
    Error::Parts parts = error.parts();
    parts.where = place_in(name, line);
    throw LineError(std::move(parts));
  }
}

void Tokenizer::save(const std::string& path) const { write_file_atomically(path, serialize()); }

std::uint64_t Tokenizer::fingerprint() const { return Fingerprint().add(kind()).add(serialize()).value(); }

std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path) { return parse_tokenizer(read_file(path), path); }

std::unique_ptr<Tokenizer> parse_tokenizer(std::string bytes, const std::string& where) {
  const std::string_view kind = Vocabulary::kind(bytes);
  if (kind == "words" || kind == "characters")
    return std::make_unique<VocabularyTokenizer>(
        kind == "words" ? VocabularyTokenizer::Unit::word : VocabularyTokenizer::Unit::character,
        Vocabulary::parse(bytes, where));
  if (kind == PieceTokenizer::name) return PieceTokenizer::parse(bytes, where);
  check(kind.empty(), where + ":1", "expected a vocabulary of words, characters or pieces; got one of `{}`", kind);
  return std::make_unique<SentencepieceTokenizer>(std::move(bytes), where);
}

}  // namespace glossa
