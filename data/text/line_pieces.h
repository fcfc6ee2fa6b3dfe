#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// Cuts a line that is too long into pieces that satisfy `fits`. Pieces are sentences. A sentence that does not fit is
/// halved, repeatedly, at the space nearest the middle, or between two code points if it has no space. A single code
/// point is a piece even if it does not fit. No piece begins or ends with a space.
std::vector<std::string_view> cut_line(std::string_view line, const std::function<bool(std::string_view)>& fits);

/// Appends `piece`, the translation of the next piece, to `line`, the joined translations of the earlier pieces. Puts a
/// space in between, except between two Chinese or Japanese characters. Returns true if `piece` continues the last word
/// of `line`.
bool append_piece(std::string& line, std::string_view piece);

/// Joins the translations of a line's pieces.
std::string join_pieces(std::span<const std::string> pieces);

}  // namespace glossa
