#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "train/decoding/decoding.h"

namespace glossa::commands {

/// Times a search (best of three after one warm-up) and prints its speed.
void print_search_speed(const std::function<std::vector<Hypothesis>()>& search, std::int64_t beam, bool json);

}  // namespace glossa::commands
