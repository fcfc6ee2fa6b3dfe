#pragma once

#include <cstdint>

namespace glossa {

/// Number or position of elements, rows or pieces of work. Signed, to make differences and downward loops natural.
using Index = std::int64_t;

}  // namespace glossa
