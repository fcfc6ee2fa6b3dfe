#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// Cuts a line wherever a sentence may end. Pieces for which `fits` returns false are halved repeatedly until all fit.
/// A cut is at the space nearest to the middle, or between two code points if there is no space. A single code point is
/// a piece even if it does not fit. No piece begins or ends with a space.
std::vector<std::string_view> cut_line(std::string_view line, const std::function<bool(std::string_view)>& fits);

/// White space of any kind between two pieces of a line.
struct Gap {
  std::size_t spaces = 0;
  std::size_t extra = 0;  // number of spaces beyond the usual one (beyond none between Chinese or Japanese characters)

  bool operator==(const Gap&) const = default;
};

/// Returns the gap between `piece` and `next`, which are adjacent, nonempty pieces of one line.
Gap gap_between(std::string_view piece, std::string_view next);

/// Appends `piece`, the translation of the next piece, to `line`, the translation of the earlier pieces. `gap` is the
/// gap in the source. Inserts `gap.spaces` spaces, but at least one. Between Chinese or Japanese characters, inserts
/// `gap.extra` spaces. Returns true if no white space separates `piece` from the text before it, which means that
/// `piece` continues the last word of `line`.
bool append_piece(std::string& line, std::string_view piece, Gap gap = {});

}  // namespace glossa
