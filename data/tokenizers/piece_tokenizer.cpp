#include "data/tokenizers/piece_tokenizer.h"

#include <utility>

#include "base/check.h"
#include "data/text/utf8.h"
#include "data/tokenizers/sentencepiece_library.h"

namespace glossa {
namespace {

/// The language code `>>fra<<` at the front of a text; empty if absent.
std::string_view language_code(std::string_view text) {
  const std::size_t end = text.starts_with(">>") ? text.find("<<") : text.npos;
  return end == text.npos ? std::string_view() : text.substr(0, end + 2);
}

/// Replaces each U+2581 with a space. It remains only in pieces that the sentencepiece model does not know.
std::string with_spaces(std::string text) {
  constexpr std::string_view visible = "\u2581";
  for (std::size_t at = 0; (at = text.find(visible, at)) != text.npos;) text.replace(at, visible.size(), 1, ' ');
  return text;
}

}  // namespace

PieceTokenizer::PieceTokenizer(std::string sentencepiece_model, Vocabulary vocabulary, const std::string& where)
    : model_(std::move(sentencepiece_model)),
      processor_(load_sentencepiece(model_, where, "a sentencepiece model")),
      vocabulary_(std::move(vocabulary)) {}

PieceTokenizer::PieceTokenizer(std::string sentencepiece_model, std::vector<std::string> tokens,
                               const SpecialIds& specials, const std::string& where)
    : PieceTokenizer(std::move(sentencepiece_model), Vocabulary::of(std::move(tokens), specials, where), where) {}

PieceTokenizer::~PieceTokenizer() = default;

std::unique_ptr<PieceTokenizer> PieceTokenizer::parse(std::string_view bytes, const std::string& where) {
  const std::size_t end = bytes.find("\n\n");  // the tokens' end, because no token is empty
  check(end != bytes.npos, where, "expected a vocabulary, an empty line and a sentencepiece model; got no empty line");
  Vocabulary vocabulary = Vocabulary::parse(bytes.substr(0, end + 1), where);
  return std::unique_ptr<PieceTokenizer>(
      new PieceTokenizer(std::string(bytes.substr(end + 2)), std::move(vocabulary), where));
}

std::string PieceTokenizer::serialize() const { return vocabulary_.serialize(name) + "\n" + model_; }

std::vector<ScoredPiece> PieceTokenizer::pieces() const {
  std::vector<ScoredPiece> pieces;
  for (int id = 0; id < vocabulary_size(); ++id) {
    const std::string& token = vocabulary_.token(id);
    ScoredPiece& piece = pieces.emplace_back(scored_piece(*processor_, processor_->PieceToId(token)));
    // If this side's model lacks the token, the texts differ: the token belongs to the other language.
    piece.is_text = piece.is_text && piece.text == token && !specials().contains(id);
    piece.text = token;
  }
  for (int id = 0; id < processor_->GetPieceSize(); ++id)
    if (vocabulary_.id(processor_->IdToPiece(id)) == specials().unk)
      pieces.emplace_back(scored_piece(*processor_, id)).has_id = false;
  return pieces;
}

std::vector<int> PieceTokenizer::encode(std::string_view text) const {
  std::vector<int> ids;
  const auto add = [&](std::string_view piece) {
    ids.push_back(vocabulary_.id(piece));
    check(ids.back() >= 0, kind(), "expected a piece of the vocabulary, which has no <unk>; got `{}`", piece);
  };
  const std::string_view code = language_code(text);
  if (vocabulary_.id(code) != specials().unk) {
    add(code);
    text.remove_prefix(code.size());
  }
  std::vector<std::string> pieces;
  const auto status = processor_->Encode({text.data(), text.size()}, &pieces);
  check(status.ok(), kind(), "cannot encode the text: {}", reason(status));
  for (const std::string& piece : pieces) add(piece);
  return ids;
}

std::string PieceTokenizer::decode(std::span<const int> ids) const {
  std::vector<std::string> pieces;
  for (const int id : ids) {
    const std::string& piece = vocabulary_.token(id);
    if (!specials().contains(id)) pieces.push_back(piece);
  }
  std::string text;
  const auto status = processor_->Decode(pieces, &text);
  check(status.ok(), kind(), "cannot decode the ids: {}", reason(status));
  return std::string(utf8::trimmed(with_spaces(text)));
}

}  // namespace glossa
