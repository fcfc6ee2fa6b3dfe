#include "app/serve/text_lines.h"

#include <algorithm>

namespace glossa::serve {

std::vector<TextLine> lines_of_text(std::string_view text) {
  std::vector<TextLine> lines;
  while (!text.empty()) {
    const std::size_t feed = std::min(text.find('\n'), text.size());
    const std::size_t end = std::min(feed + 1, text.size());
    const std::size_t length = feed < text.size() && feed > 0 && text[feed - 1] == '\r' ? feed - 1 : feed;
    lines.push_back({text.substr(0, length), text.substr(length, end - length)});
    text.remove_prefix(end);
  }
  return lines;
}

}  // namespace glossa::serve
