#include "train/decoding/excluded_tokens.h"

#include <algorithm>

#include "base/check.h"

namespace glossa {

ExcludedTokens::ExcludedTokens(const DecodeOptions& options, const SpecialIds& specials, Index vocabulary)
    : min_length_(options.min_length), late_(options.forbidden.begin(), options.forbidden.end()) {
  late_.insert(late_.end(), {specials.pad, specials.bos});
  early_ = late_;
  early_.push_back(specials.eos);
  for (std::vector<int>* tokens : {&early_, &late_}) {
    std::ranges::sort(*tokens);
    tokens->erase(std::unique(tokens->begin(), tokens->end()), tokens->end());
  }
  check(late_.front() >= 0 && late_.back() < vocabulary, "decode.forbidden", "expected tokens from 0 to {}; got {}",
        vocabulary - 1, late_.front() < 0 ? late_.front() : late_.back());
}

}  // namespace glossa
