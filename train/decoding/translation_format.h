#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "train/decoding/translator.h"

namespace glossa {

enum class TranslationFormat {
  text,         ///< the best translation of a line
  text_scores,  ///< also a tab and its score
  moses,        ///< all, one per line: line number from 0 ||| text ||| score
  json          ///< an object: `line` from 1, and `translations` with text, score, log_probability, finished
};

/// Formats the output for line `number`, counted from 1, with line feeds. Without a translation: an empty line of text,
/// an empty text of log-probability 0 in Moses' format, no translation in JSON. `aligned` adds the alignment of source
/// and translation words: ||| and 0-0 1-2 after a text or a score of Moses' format, [[0,0],[1,2]] in JSON.
std::string formatted(TranslationFormat format, std::int64_t number, std::span<const Translation> translations,
                      bool aligned = false);

}  // namespace glossa
