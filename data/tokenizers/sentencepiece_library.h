#pragma once

#include <sentencepiece_processor.h>

#include <memory>
#include <string>
#include <string_view>

namespace glossa {

/// Text of a sentencepiece library status, without the source position and condition that the library prepends.
std::string reason(const sentencepiece::util::Status& status);

/// Loads a serialized model. For an empty or damaged model, throws an Error at `where` that says `what` was expected.
std::unique_ptr<sentencepiece::SentencePieceProcessor> load_sentencepiece(const std::string& model,
                                                                          std::string_view where,
                                                                          std::string_view what);

}  // namespace glossa
