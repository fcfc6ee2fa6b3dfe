#include "data/tokenizers/sentencepiece_library.h"

#include "base/check.h"

namespace glossa {

std::string reason(const sentencepiece::util::Status& status) {
  // The library's text for a failed check is `SOURCE POSITION [CONDITION] MESSAGE`; the message may be missing.
  const std::string text = status.ToString();
  const std::size_t end = text.rfind("] ");
  return end == std::string::npos || end + 2 == text.size() ? text : text.substr(end + 2);
}

ScoredPiece scored_piece(const sentencepiece::SentencePieceProcessor& processor, int id) {
  const bool is_special = processor.IsUnknown(id) || processor.IsControl(id);
  return {.text = processor.IdToPiece(id),
          .score = processor.GetScore(id),
          .is_text = !is_special && !processor.IsUnused(id) && !processor.IsByte(id)};
}

std::unique_ptr<sentencepiece::SentencePieceProcessor> load_sentencepiece(const std::string& model,
                                                                          std::string_view where,
                                                                          std::string_view what) {
  auto processor = std::make_unique<sentencepiece::SentencePieceProcessor>();
  // The library accepts an empty model, as one without pieces.
  const sentencepiece::util::Status status = processor->LoadFromSerializedProto(model);
  check(status.ok() && !model.empty(), where, "expected {}; got {}", what,
        model.empty() ? "an empty file" : reason(status));
  return processor;
}

}  // namespace glossa
