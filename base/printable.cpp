#include "base/printable.h"

#include <fmt/format.h>

#include "base/code_point.h"

namespace glossa {

namespace {

constexpr char32_t first_printable = 0x20, del = 0x7F, last_c1 = 0x9F;

/// True for embeddings, overrides and isolates, which change the display order of the rest of a line.
bool reorders(char32_t value) { return (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069); }

std::string escaped(std::string_view bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("\\x{:02x}", byte);
  return text;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  utf8::for_each(text, [&](std::string_view piece, utf8::CodePoint c) {
    const bool is_control = c.value < first_printable && c.value != '\n' && c.value != '\t';
    if (!c.valid || is_control || c.value == del)
      shown += escaped(piece);
    else if ((c.value > del && c.value <= last_c1) || reorders(c.value))
      shown += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c.value));
    else
      shown += piece;
  });
  return shown;
}

std::string printable_line(std::string_view text) {
  std::string line = printable(text);
  for (std::size_t at = 0; (at = line.find('\n', at)) != line.npos;) line.replace(at, 1, "\\n");
  return line;
}

}  // namespace glossa
