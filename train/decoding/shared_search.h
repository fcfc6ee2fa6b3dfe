#pragma once

#include <vector>

#include "train/decoding/decoding.h"

namespace glossa {

/// Shares search results among the job's processes: each passes a list for the sources it had, nothing for others.
/// Afterwards all have all.
void share_found(std::vector<std::vector<Hypothesis>>& found);

}  // namespace glossa
