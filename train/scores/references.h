#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// Reference translations of a text: one or more texts, each with one line per hypothesis. If a line has several
/// references, blank ones count as absent, as in sacreBLEU.
using References = std::span<const std::span<const std::string>>;

/// Returns the references of a line, without the blank ones; if all are blank, returns the first one.
std::vector<std::string> references_of(References references, std::size_t line);

/// Returns the number of references for a signature: `2`, or `var` if it differs between lines.
std::string reference_count(References references);

/// Throws Error at `where` if there is no reference, or if one of them does not have `hypotheses` lines.
void check_references(std::string_view where, std::size_t hypotheses, References references);

}  // namespace glossa
