#include "data/tokenizers/word_breaks.h"

#include <cstdint>

#include "data/tokenizers/compiled_rules.h"
#include "data/tokenizers/proto_fields.h"

namespace glossa {

namespace {

/// The parts of sentencepiece's ModelProto that determine how words depend on each other, with their default values.
struct Model {
  enum PieceType : std::uint64_t { normal = 1, user_defined = 4 };
  enum ModelType : std::uint64_t { bpe = 2 };

  std::uint64_t type = 1;
  bool has_space = false;           // true if U+2581 is a piece
  bool has_joining_pieces = false;  // true if a piece continues into another word or BPE does not merge it
  bool begins_with_space = true;    // true if a U+2581 is put before the first word
  bool collapses_spaces = true;     // true: joins adjacent spaces, and removes spaces at both ends
  bool shows_spaces = true;         // true: shows spaces as U+2581
  bool ends_words_with_space = false;
  std::string_view rules = {};
};

void read_piece(std::string_view message, Model& model) {
  std::string_view text;
  std::uint64_t type = Model::normal;
  for_each_field(message, [&](const ProtoField& field) {
    if (field.number == 1) text = field.bytes;
    if (field.number == 3) type = field.value;
  });
  model.has_space = model.has_space || (type == Model::normal && text == visible_space);
  model.has_joining_pieces =
      model.has_joining_pieces || type == Model::user_defined || text.find(visible_space, 1) != text.npos;
}

Model read_model(std::string_view message) {
  Model model;
  for_each_field(message, [&](const ProtoField& part) {
    if (part.number == 1) return read_piece(part.bytes, model);
    if (part.number > 3) return;
    for_each_field(part.bytes, [&](const ProtoField& field) {
      if (part.number == 2) {
        if (field.number == 3) model.type = field.value;
        if (field.number == 24) model.ends_words_with_space = field.value != 0;
      }
      if (part.number == 3) {
        if (field.number == 2) model.rules = field.bytes;
        if (field.number == 3) model.begins_with_space = field.value != 0;
        if (field.number == 4) model.collapses_spaces = field.value != 0;
        if (field.number == 5) model.shows_spaces = field.value != 0;
      }
    });
  });
  return model;
}

}  // namespace

std::optional<WordBreaks> WordBreaks::of_sentencepiece(std::string_view bytes) {
  const Model model = read_model(bytes);
  if (model.type != Model::bpe || !model.has_space || model.has_joining_pieces) return {};
  if (!model.begins_with_space || !model.collapses_spaces || !model.shows_spaces || model.ends_words_with_space)
    return {};
  WordBreaks breaks;
  if (model.rules.empty()) return breaks;
  const CompiledRules rules(model.rules);
  // If a replacement ends with two spaces, the model keeps them within a line, but removes them at its end.
  if (rules.replaces(" ") || rules.has_replacement_with(visible_space) || rules.has_replacement_with("  ")) return {};
  rules.find_beside(' ', breaks.joins_before_, breaks.joins_after_);
  return breaks;
}

bool WordBreaks::stands_alone(std::string_view word) const {
  const auto byte = [](char c) { return static_cast<unsigned char>(c); };
  // Sentencepiece removes a U+2581 at the end of a line like a space, even if it comes from the text.
  return !joins_after_[byte(word.front())] && !joins_before_[byte(word.back())] &&
         word.find(visible_space) == word.npos;
}

}  // namespace glossa
