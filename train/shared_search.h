#pragma once

#include <optional>

#include "decoding/translator.h"
#include "train/processes/job.h"

namespace glossa {

/// Returns the division of searches among the processes of `job`, and keeps a reference to `job`. All processes must
/// search for the same sources; all get all results.
SearchDivision divided_among(const Job& job);

/// Returns, in every process of the job, a copy of process 0's `own` without the members `texts` and `first_words`. If
/// `own` is null in process 0, returns an empty value.
std::optional<Translator::Sources> sources_of_first(const Job& job, const Translator::Sources* own);

}  // namespace glossa
