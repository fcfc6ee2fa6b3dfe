#pragma once

#include <cstdint>

namespace glossa {

/// Number or position of elements, rows, pieces of work. Signed, so that differences and loops downwards are natural.
using Index = std::int64_t;

}  // namespace glossa
