#include "train/decoding/excluded_tokens.h"

#include <algorithm>

#include "base/check.h"

namespace glossa {

ExcludedTokens::ExcludedTokens(const DecodeOptions& options, const SpecialIds& specials, Index vocabulary)
    : min_length_(options.min_length), late_(options.forbidden.begin(), options.forbidden.end()) {
  const auto insert = [](std::vector<int>& tokens, int token) {
    if (const auto at = std::ranges::lower_bound(tokens, token); at == tokens.end() || *at != token)
      tokens.insert(at, token);
  };
  std::ranges::sort(late_);
  late_.erase(std::unique(late_.begin(), late_.end()), late_.end());
  insert(late_, specials.pad);
  insert(late_, specials.bos);
  check(late_.front() >= 0 && late_.back() < vocabulary, "decode.forbidden", "expected tokens from 0 to {}; got {}",
        vocabulary - 1, late_.front() < 0 ? late_.front() : late_.back());
  early_ = late_;
  insert(early_, specials.eos);
}

}  // namespace glossa
