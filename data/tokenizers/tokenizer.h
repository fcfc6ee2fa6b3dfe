#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/vocabulary.h"

namespace glossa {

/// Turns a cleaned line of text into ids and back. Immutable after construction, so usable from several threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Encodes one line, without special tokens except unk. Throws, naming the token, if a token is unknown and the
  /// vocabulary has no unknown id.
  virtual std::vector<int> encode(std::string_view text) const = 0;

  /// Encodes a line of a file: errors are thrown as LineError at `name`:`line`.
  std::vector<int> encode_line(std::string_view text, std::string_view name, std::int64_t line) const;

  /// Decodes ids to text. Drops pad, bos and eos; unk becomes `<unk>` (sentencepiece: U+2047; PieceTokenizer drops it).
  /// Throws if an id is outside the vocabulary.
  virtual std::string decode(std::span<const int> ids) const = 0;

  virtual int vocabulary_size() const = 0;
  virtual const SpecialIds& specials() const = 0;

  /// Kind of tokenizer: `words`, `characters`, `sentencepiece` or `pieces`.
  virtual std::string kind() const = 0;

  /// Token of an id as in the vocabulary. Throws if the id is out of range.
  virtual std::string token(int id) const = 0;

  /// The complete tokenizer as the bytes of one file, which `parse_tokenizer` reads.
  virtual std::string serialize() const = 0;

  /// Writes the complete file or, on error, nothing.
  void save(const std::string& path) const;

  /// Content hash: equal for equal tokenizers, on every machine.
  std::uint64_t fingerprint() const;
};

/// Loads a saved tokenizer of any kind, or a foreign sentencepiece model. Errors name the file and, in a vocabulary,
/// the line.
std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path);

/// Parses a tokenizer; errors name `where`.
std::unique_ptr<Tokenizer> parse_tokenizer(std::string bytes, const std::string& where);

}  // namespace glossa
