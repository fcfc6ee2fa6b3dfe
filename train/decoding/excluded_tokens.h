#pragma once

#include <span>
#include <vector>

#include "train/decoding/decoding.h"

namespace glossa {

/// The tokens that a search never chooses: <pad>, <s>, DecodeOptions::forbidden and, below the minimum length, </s>.
class ExcludedTokens {
 public:
  ExcludedTokens() = default;

  /// Throws if a token is not in the vocabulary.
  ExcludedTokens(const DecodeOptions& options, const SpecialIds& specials, Index vocabulary);

  /// Returns the sorted ids excluded as a translation's token number `position`, counted from 1.
  std::span<const int> at(Index position) const { return position <= min_length_ ? early_ : late_; }

 private:
  Index min_length_ = 0;
  std::vector<int> early_, late_;
};

}  // namespace glossa
