#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/vocabulary.h"
#include "data/tokenizers/word_breaks.h"

namespace glossa {

/// A piece of a sentencepiece model, or a special token.
struct ScoredPiece {
  std::string text;      // text of the piece, with U+2581 for a space
  float score = 0;       // BPE: higher for an earlier merge; unigram model: log-probability
  bool is_text = false;  // false: special, unknown, or never part of a segmentation
  bool has_id = true;    // false: the model has the piece, but the vocabulary does not
};

/// Converter between a cleaned line of text (see clean_line) and ids. A tokenizer is constant after construction, so
/// several threads may use it.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Encodes one line, without special tokens except unk. If a token is unknown and the vocabulary has no unk, throws
  /// an error that names the token.
  virtual std::vector<int> encode(std::string_view text) const = 0;

  /// Returns the rule for cutting lines into words; nothing if lines must be encoded as a whole.
  virtual std::optional<WordBreaks> word_breaks() const { return {}; }

  /// Encodes a line of a file. Rethrows errors of `encode` as LineError at place_in(name, line).
  std::vector<int> encode_line(std::string_view text, std::string_view name, std::int64_t line) const;

  /// Decodes ids to text. Drops pad, bos and eos. unk becomes `<unk>`, except that SentencepieceTokenizer writes U+2047
  /// and PieceTokenizer drops unk. Throws if an id is outside the vocabulary.
  virtual std::string decode(std::span<const int> ids) const = 0;

  virtual int vocabulary_size() const = 0;
  virtual const SpecialIds& specials() const = 0;

  /// Kind of tokenizer: `words`, `characters`, `sentencepiece` or `pieces`.
  virtual std::string kind() const = 0;

  /// Returns the token of an id as in the vocabulary. Throws if the id is out of range.
  virtual std::string token(int id) const = 0;

  /// If a sentencepiece model cuts the text: the tokens with their scores, in id order, then the pieces without an id.
  /// Otherwise empty.
  virtual std::vector<ScoredPiece> pieces() const { return {}; }

  /// The complete tokenizer as the bytes of one file, which `parse_tokenizer` reads.
  virtual std::string serialize() const = 0;

  /// Writes the bytes of `serialize` to a file, which appears complete or not at all.
  void save(const std::string& path) const;

  /// Content hash: equal for equal tokenizers, on every machine.
  std::uint64_t fingerprint() const;
};

/// Loads a tokenizer of any kind from its file, or a sentencepiece model trained by another program. Errors name the
/// file; errors in a vocabulary also name the line.
std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path);

/// Makes a tokenizer from the bytes of its file; errors name `where`.
std::unique_ptr<Tokenizer> parse_tokenizer(std::string bytes, const std::string& where);

}  // namespace glossa
