#pragma once

#include <cstdint>

#include "base/index.h"

/// The packed form of a product's right factor, which the loops for bf16 and int8 read.
namespace glossa::kernels {

/// Adjacent factors of a sum in 4 bytes, the first in the lowest: two in bf16 or four in int8.
using Unit [[gnu::may_alias]] = std::uint32_t;

/// Columns of a panel. A factor is packed into panels [units, panel_columns]; zeros fill up the last panel.
inline constexpr Index panel_columns = 64;

/// Number of panels of a factor with n columns.
constexpr Index panels(Index n) { return (n + panel_columns - 1) / panel_columns; }

}  // namespace glossa::kernels
