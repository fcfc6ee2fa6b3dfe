#pragma once

#include <cstdint>
#include <vector>

#include "data/encoded_corpus.h"

namespace glossa {

/// Measure of a batch's size; SamplerOptions::max_tokens limits it. The length of a sentence is the number of rows that
/// it takes. For a source, this is the number of ids, including special tokens; for a target, it is the number of ids
/// plus 1.
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
/// the options and the epoch's number. A resumed run therefore needs only two counters to continue: the epoch and the
/// batch.
class Sampler {
 public:
  /// Throws an Error if the corpus is empty, and a misuse error if max_tokens is below 1.
  Sampler(const EncodedCorpus& corpus, const SamplerOptions& options);

  /// The batches of an epoch: every sentence exactly once, no empty batch. Sentences are shuffled, sorted stably by
  /// (target, source) length, and cut greedily into batches. Then the batches are shuffled. Without `shuffle`, nothing
  /// is shuffled, so the batches are in order of length. A sentence that alone exceeds the limit is a batch of its own.
  std::vector<std::vector<int>> epoch(int epoch, bool shuffle) const;

  /// Counts the sentences that alone exceed the limit.
  int oversized() const;

 private:
  /// Size of a batch under construction.
  struct Load {
    std::int64_t sentences = 0, longest = 0, rows = 0;
  };

  Load with(Load load, int sentence) const;
  bool fits(const Load& load) const;

  std::vector<int> source_lengths_, target_lengths_;
  SamplerOptions options_;
};

}  // namespace glossa
