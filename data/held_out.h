#pragma once

#include <cstdint>
#include <string_view>

#include "data/parallel_corpus.h"

namespace glossa {

/// Numbers of pairs of a corpus to hold out of training.
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

/// Splits pairs off a corpus for validation and testing. A hash of the source sentence decides, so the choice depends
/// neither on the order of the corpus nor on the machine, and no pair trained on moves to either part when the corpus
/// grows. One pair of each held-out source is used and the others are dropped: training sees none of these sentences in
/// any translation. Misuse at `where` if the corpus has too few different sources.
SplitCorpus hold_out(ParallelCorpus corpus, const HeldOut& held_out, std::string_view where);

}  // namespace glossa
