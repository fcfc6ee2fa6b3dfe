#pragma once

#include <cstdint>
#include <vector>

#include "data/encoded_corpus.h"

namespace glossa {

/// Measure bounded by `max_tokens` of a batch. Lengths are rows: source as encoded, target with one special token.
enum class BatchRule {
  longest_side,  // sentences × longest length of either side: the size of the padded box
  tokens,        // source rows + target rows: the work of a packed batch
  sentences,     // number of sentences
};

struct SamplerOptions {
  std::int64_t max_tokens = 4096;
  BatchRule rule = BatchRule::longest_side;
  std::uint64_t seed = 1;
};

/// Cuts a corpus into batches of sentences of similar length. An epoch's batches are a pure function of the lengths,
/// the options and the epoch's number, so a resumed run finds its place by two counters.
class Sampler {
 public:
  /// Errors: empty corpus; max_tokens below 1 (misuse).
  Sampler(const EncodedCorpus& corpus, const SamplerOptions& options);

  /// Every sentence exactly once, no empty batch: shuffle, stable sort by (target, source) length, cut greedily,
  /// shuffle the batches. Without `shuffle`: in order of length. A sentence beyond the budget is a batch of its own.
  std::vector<std::vector<int>> epoch(int epoch, bool shuffle) const;

  /// Counts sentences beyond the budget.
  int oversized() const;

 private:
  /// Batch under construction, as far as the rules need it.
  struct Load {
    std::int64_t sentences = 0, longest = 0, rows = 0;
  };

  Load with(Load load, int sentence) const;
  bool fits(const Load& load) const;

  std::vector<int> source_lengths_, target_lengths_;
  SamplerOptions options_;
};

}  // namespace glossa
