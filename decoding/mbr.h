#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "data/tokenizers/tokenizer.h"
#include "decoding/decoding.h"

namespace glossa {

/// Returns the mean utility of each text, from 0 to 100. A text's mean utility is the mean of its sentence scores
/// (SentenceChrf or SentenceBleu). Each of the first `samples` texts serves in turn as the only reference. Repeated
/// references count each time. A text among the samples is also its own reference.
std::vector<double> mean_utilities(std::span<const std::string> texts, std::size_t samples, MbrUtility utility);

/// Performs minimum Bayes risk decoding (Eikema and Aziz 2020 and 2022, Freitag et al. 2022). Returns the `n`
/// candidates with the highest mean utility, best first; their `score` becomes the mean utility. Returns fewer if fewer
/// have distinct texts. The first `samples` candidates were drawn from the model, and their texts are the references.
/// Ties go to the earlier candidate, and only the first of equal texts counts.
std::vector<Hypothesis> mbr_best(std::vector<Hypothesis> candidates, Index samples, const Tokenizer& target,
                                 MbrUtility utility, Index n);

/// Returns the number of candidates for minimum Bayes risk decoding: the samples and, with a beam above 1, the result
/// of beam search. That result is not a reference.
Index mbr_candidates(const DecodeOptions& options);

}  // namespace glossa
