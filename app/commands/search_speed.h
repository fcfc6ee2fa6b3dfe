#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "train/decoding/decoding.h"

namespace glossa::commands {

/// Times a search, the best of three after one to warm up, and prints how fast it was.
void tell_search_speed(const std::function<std::vector<Hypothesis>()>& search, std::int64_t beam, bool json);

}  // namespace glossa::commands
