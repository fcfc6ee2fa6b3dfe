#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// Cuts a line wherever a sentence may end. A piece for which `fits` returns false is halved, and so are its halves,
/// until all pieces fit. The cut is at the space nearest to the middle, or between two code points if there is no
/// space. A single code point is a piece even if it does not fit. No piece begins or ends with a space.
std::vector<std::string_view> cut_line(std::string_view line, const std::function<bool(std::string_view)>& fits);

/// White space between two pieces of a line, of any kind.
struct Gap {
  std::size_t spaces = 0;
  std::size_t extra = 0;  // in excess of the usual: one, or none between two Chinese or Japanese characters

  bool operator==(const Gap&) const = default;
};

/// Returns the gap between `piece` and `next`, which are adjacent pieces of one line, not empty.
Gap gap_between(std::string_view piece, std::string_view next);

/// Appends `piece` to `line`. Both are translations: `line` of the earlier pieces, `piece` of the next one; `gap` is
/// that of the sources. Inserts its spaces, but at least one; between Chinese or Japanese characters, only the extra
/// ones. Returns true if no white space separates `piece` from the text before it, so that `piece` continues the last
/// word of `line`.
bool append_piece(std::string& line, std::string_view piece, Gap gap = {});

}  // namespace glossa
