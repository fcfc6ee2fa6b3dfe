#pragma once

#include <vector>

#include "train/decoding/decoding.h"

namespace glossa {

/// What a search over the same sources found in each process of the job: a list where it had the source, nothing where
/// another had. Afterwards all have all.
void share_found(std::vector<std::vector<Hypothesis>>& found);

}  // namespace glossa
