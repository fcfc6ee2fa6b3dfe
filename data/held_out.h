#pragma once

#include <cstdint>
#include <string_view>

#include "data/parallel_corpus.h"

namespace glossa {

/// How many pairs of a corpus are held out of training.
struct HeldOut {
  std::int64_t valid = 0, test = 0;

  bool operator==(const HeldOut&) const = default;
  std::int64_t pairs() const { return valid + test; }
};

struct SplitCorpus {
  ParallelCorpus training, validation, test;  // each in the order of the corpus
};

/// How many different source sentences a corpus has.
std::int64_t different_sources(const ParallelCorpus& corpus);

/// Takes pairs out of a corpus, for validation and for testing. A hash of the source sentence decides: the choice
/// depends neither on the order of the corpus nor on the machine, and a corpus that has grown since gives none of the
/// pairs that it trained on to either part. Of the pairs of a source that is held out one is, and the others are left
/// out: training knows none of these sentences, by any translation. Misuse at `where` if the corpus has too few
/// different sources.
SplitCorpus hold_out(ParallelCorpus corpus, const HeldOut& held_out, std::string_view where);

}  // namespace glossa
