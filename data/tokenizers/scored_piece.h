#pragma once

#include <string>

namespace glossa {

/// A token of a subword vocabulary.
struct ScoredPiece {
  std::string text;      // with U+2581 for a space
  float score = 0;       // of BPE: higher for an earlier merge; of a unigram model: log-probability
  bool is_text = false;  // false: special, unknown, or never part of a segmentation
};

}  // namespace glossa
