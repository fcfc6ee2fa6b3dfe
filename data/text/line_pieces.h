#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// A line that is too long as a whole, in pieces that `fits` holds for: its sentences, and those that do not fit in
/// halves, at the space nearest to the middle or, where there is none, between two code points. A single code point is
/// a piece whether it fits or not. No piece begins or ends with a space.
std::vector<std::string_view> cut_line(std::string_view line, const std::function<bool(std::string_view)>& fits);

/// Translations of the pieces of a line as one line: with a space between, but none between two characters of Chinese
/// or Japanese.
std::string join_pieces(std::span<const std::string> pieces);

}  // namespace glossa
