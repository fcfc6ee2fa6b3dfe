#pragma once

#include <vector>

#include "train/decoding/decoding.h"

namespace glossa {

/// Shares search results among the job's processes. Each process passes a list for every source it searched and empty
/// lists for the other sources; afterwards all processes have all lists.
void share_found(std::vector<std::vector<Hypothesis>>& found);

}  // namespace glossa
