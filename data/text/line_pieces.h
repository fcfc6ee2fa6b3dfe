#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// Cuts a line into sentences. A sentence for which `fits` returns false is halved, and so are its halves, until all
/// pieces fit. The cut is at the space nearest to the middle, or between two code points if there is no space. A single
/// code point is a piece even if it does not fit. No piece begins or ends with a space.
std::vector<std::string_view> cut_line(std::string_view line, const std::function<bool(std::string_view)>& fits);

/// Appends `piece` to `line`. Both are translations: `line` of the earlier pieces, `piece` of the next one. Inserts a
/// space between them, except between two Chinese or Japanese characters. Returns true if no white space separates
/// `piece` from the text before it, so that `piece` continues the last word of `line`.
bool append_piece(std::string& line, std::string_view piece);

/// Joins the translations of a line's pieces.
std::string join_pieces(std::span<const std::string> pieces);

}  // namespace glossa
