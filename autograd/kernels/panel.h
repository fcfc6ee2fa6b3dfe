#pragma once

#include <cstdint>

#include "base/index.h"

/// The packed form of a product's right factor, which the loops for bf16 and int8 read.
namespace glossa::kernels {

/// 4 bytes: two bf16 numbers or four int8 codes, adjacent along the summed axis. The first is in the lowest bits.
using Unit [[gnu::may_alias]] = std::uint32_t;

/// Number of columns in a panel. A factor is packed into panels [units, panel_columns]; zeros fill up the last panel.
inline constexpr Index panel_columns = 64;

/// Number of panels of a factor with n columns.
constexpr Index panels(Index n) { return (n + panel_columns - 1) / panel_columns; }

}  // namespace glossa::kernels
