#pragma once

#include <string>

namespace glossa {

/// A piece that a sentencepiece model cuts text into, or a special token.
struct ScoredPiece {
  std::string text;      // with U+2581 for a space
  float score = 0;       // of BPE: higher for an earlier merge; of a unigram model: log-probability
  bool is_text = false;  // false: special, unknown, or never part of a segmentation
  bool has_id = true;    // false: the model has the piece, but the vocabulary does not
};

}  // namespace glossa
