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

/// Takes pairs out of a corpus, for validation and for testing. A hash of the text of a pair decides: the choice
/// depends neither on the order of the corpus nor on the machine, and a corpus that has grown since gives none of the
/// pairs that it trained on to either part. A pair that comes several times is held out once and its copies are left
/// out, so that training has none of them. Misuse at `where` if the corpus has too few different pairs.
SplitCorpus hold_out(ParallelCorpus corpus, const HeldOut& held_out, std::string_view where);

}  // namespace glossa
