#include "data/text/line_pieces.h"

#include <algorithm>

#include "data/text/sentences.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

/// Position at which to halve a text without spaces at its ends; 0 if it cannot be halved.
std::size_t middle_of(std::string_view text) {
  const std::size_t half = text.size() / 2;
  const std::size_t before = text.rfind(' ', half), after = text.find(' ', half);
  if (before != text.npos && (after == text.npos || half - before <= after - half)) return before;
  if (after != text.npos) return after;
  const auto inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  std::size_t at = half;
  while (at > 0 && inside(at)) --at;
  if (at > 0) return at;
  for (at = half + 1; at < text.size(); ++at)
    if (!inside(at)) return at;
  return 0;
}

void halve(std::string_view text, const std::function<bool(std::string_view)>& fits,
           std::vector<std::string_view>& pieces) {
  const std::size_t middle = fits(text) ? 0 : middle_of(text);
  if (middle == 0) return pieces.push_back(text);
  halve(utf8::trimmed(text.substr(0, middle)), fits, pieces);
  halve(utf8::trimmed(text.substr(middle)), fits, pieces);
}

}  // namespace

std::vector<std::string_view> cut_line(std::string_view line, const std::function<bool(std::string_view)>& fits) {
  std::vector<std::string_view> pieces;
  for (const std::string_view sentence : split_at_end_marks(line)) halve(sentence, fits, pieces);
  return pieces;
}

Gap gap_between(std::string_view piece, std::string_view next) {
  Gap gap;
  utf8::for_each({piece.data() + piece.size(), next.data()}, [&](std::string_view, utf8::CodePoint c) {
    gap.spaces = utf8::is_space(c.value) ? gap.spaces + 1 : 0;
  });
  const bool is_close = utf8::stands_close(utf8::last_code_point(piece)) && utf8::stands_close(utf8::first(next).value);
  gap.extra = is_close || gap.spaces == 0 ? gap.spaces : gap.spaces - 1;
  return gap;
}

bool append_piece(std::string& line, std::string_view piece, Gap gap) {
  if (piece.empty()) return false;
  bool is_glued = false;
  if (!line.empty()) {
    const char32_t last = utf8::last_code_point(line), first = utf8::first(piece).value;
    const bool is_close = utf8::stands_close(last) && utf8::stands_close(first);
    const std::size_t spaces = is_close ? gap.extra : std::max<std::size_t>(gap.spaces, 1);
    line.append(spaces, ' ');
    is_glued = spaces == 0 && !utf8::is_space(last) && !utf8::is_space(first);
  }
  line += piece;
  return is_glued;
}

}  // namespace glossa
