#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace glossa {

/// Reference translations of a text: one or more texts, each with one line per hypothesis.
using References = std::span<const std::span<const std::string>>;

/// Throws Error at `where` if there is no reference, or if one of them does not have `hypotheses` lines.
void check_references(std::string_view where, std::size_t hypotheses, References references);

}  // namespace glossa
