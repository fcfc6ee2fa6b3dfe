#pragma once

#include <vector>

#include "train/decoding/decoding.h"

namespace glossa {

/// Shares search results among the job's processes. `found` has a list for each source; each process fills the lists of
/// the sources that it searched, and leaves the others empty. Afterwards all processes have all lists.
void share_found(std::vector<std::vector<Hypothesis>>& found);

}  // namespace glossa
