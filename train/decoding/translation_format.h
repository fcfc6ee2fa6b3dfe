#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "train/decoding/translator.h"

namespace glossa {

enum class TranslationFormat {
  text,         ///< the best translation of a line
  text_scores,  ///< the same, a tab, its score
  moses,        ///< all of them, one a line: number of the line from 0 ||| text ||| score
  json          ///< an object: `line` from 1, and `translations` with text, score, log_probability, finished
};

/// What is written for line `number`, counted from 1, with its line feeds. Where there is no translation: an empty line
/// of text, an empty text of log-probability 0 in Moses' format, no translation in JSON. `aligned`: also the words of
/// the source with those of the translation, ||| and 0-0 1-2 after a text or a score of Moses' format, [[0,0],[1,2]] in
/// JSON.
std::string formatted(TranslationFormat format, std::int64_t number, std::span<const Translation> translations,
                      bool aligned = false);

}  // namespace glossa
