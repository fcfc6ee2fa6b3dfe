#pragma once

#include <vector>

#include "train/decoding/decoding.h"

namespace glossa {

/// Shares search results over the same sources between all processes of the job: each passes a list where it had the
/// source, nothing elsewhere. Afterwards all have all.
void share_found(std::vector<std::vector<Hypothesis>>& found);

}  // namespace glossa
