#pragma once

#include <sentencepiece_processor.h>

#include <memory>
#include <string>
#include <string_view>

#include "data/tokenizers/tokenizer.h"

namespace glossa {

/// Returns the message of a status of the sentencepiece library, without the source position and condition that the
/// library prepends.
std::string reason(const sentencepiece::util::Status& status);

/// A piece of a model with its score. `is_text` is false for special, unused and byte pieces.
ScoredPiece scored_piece(const sentencepiece::SentencePieceProcessor& processor, int id);

/// Loads a serialized model. If the model is empty or damaged, throws `[where] expected WHAT; got: ...`.
std::unique_ptr<sentencepiece::SentencePieceProcessor> load_sentencepiece(const std::string& model,
                                                                          std::string_view where,
                                                                          std::string_view what);

}  // namespace glossa
