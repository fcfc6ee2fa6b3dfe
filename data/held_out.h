#pragma once

#include <cstdint>
#include <string_view>

#include "data/parallel_corpus.h"

namespace glossa {

/// Numbers of pairs to hold out from training, for validation and for testing.
struct HeldOut {
  std::int64_t valid = 0, test = 0;

  bool operator==(const HeldOut&) const = default;
  std::int64_t pairs() const { return valid + test; }
};

struct SplitCorpus {
  ParallelCorpus training, validation, test;  // each in corpus order
};

/// Counts the different source sentences of a corpus.
std::int64_t different_sources(const ParallelCorpus& corpus);

/// Splits pairs off a corpus for validation and testing. A hash of the source sentence selects the pairs, so the choice
/// does not depend on the order of the corpus or on the machine. When the corpus grows, no training pair becomes a
/// validation or test pair. If several pairs have the same held-out source, one of them is held out and the others are
/// dropped. Training thus sees no translation of a held-out source. Throws a misuse error at `where` if the corpus has
/// too few different sources.
SplitCorpus hold_out(ParallelCorpus corpus, const HeldOut& held_out, std::string_view where);

}  // namespace glossa
