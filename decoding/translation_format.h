#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "decoding/translator.h"

namespace glossa {

enum class TranslationFormat {
  text,         ///< the best translation of a line
  text_scores,  ///< text, a tab and the score
  moses,        ///< all translations, one per line: line number from 0 ||| text ||| score
  json          ///< an object: `line` from 1, and `translations` with text, score, log_probability, finished
};

/// Formats the output for line `number`, counted from 1, including line feeds. If `translations` is empty, the text
/// formats give an empty line; Moses' format gives an empty text with score 0; JSON gives an empty list. With
/// `aligned`, adds the alignment of source and translation words. The text formats have `||| 0-0 1-2` after the text,
/// Moses' format has it after the score, and JSON has [[0,0],[1,2]].
std::string formatted(TranslationFormat format, std::int64_t number, std::span<const Translation> translations,
                      bool aligned = false);

}  // namespace glossa
