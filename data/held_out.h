#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/parallel_corpus.h"

namespace glossa {

/// Numbers of pairs to hold out from training for validation and testing.
struct HeldOut {
  std::int64_t valid = 0, test = 0;

  bool operator==(const HeldOut&) const = default;
  std::int64_t pairs() const { return valid + test; }
};

struct SplitCorpus {
  ParallelCorpus training, validation, test;  // pairs in the order of the corpus
};

/// Indices of held-out pairs, ascending.
struct HeldOutPairs {
  std::vector<std::size_t> validation, test;
  std::vector<std::size_t> further;  // pairs with a held-out pair's source: dropped from training, not held out

  /// True for each of `count` pairs that does not remain in training.
  std::vector<bool> leave(std::size_t count) const;
};

/// Chooses pairs like hold_out. `hashes` are the sources' hashes (content_hash); `text(i)` returns both sides of pair
/// i. Throws a misuse error at `where` if the corpus `name` has too few different sources.
HeldOutPairs choose_held_out(std::span<const std::uint64_t> hashes, const HeldOut& held_out,
                             const std::function<std::pair<std::string_view, std::string_view>(std::size_t)>& text,
                             const std::string& name, std::string_view where);

/// Counts the pairs of each part in the part's report, given the whole corpus's report.
void count_held_out(const HeldOutPairs& chosen, const HeldOut& held_out, const CorpusReport& whole,
                    CorpusReport& training, CorpusReport& validation, CorpusReport& test);

/// Counts the different source sentences of a corpus.
std::int64_t different_sources(const ParallelCorpus& corpus);

/// Splits off pairs of a corpus for validation and testing. A hash of the source sentence selects the pairs. The choice
/// therefore does not depend on the order of the corpus or on the machine. If the corpus grows and `held_out` stays the
/// same, no training pair becomes a validation or test pair. If several pairs have the same held-out source, one of
/// them is held out and the others are dropped. Training sees no translation of a held-out source. Throws a misuse
/// error at `where` if the corpus has too few different sources.
SplitCorpus hold_out(ParallelCorpus corpus, const HeldOut& held_out, std::string_view where);

}  // namespace glossa
