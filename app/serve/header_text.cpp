#include "app/serve/header_text.h"

#include <algorithm>

namespace glossa::serve {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

bool consists_of(std::string_view text, std::string_view more) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || more.find(c) != more.npos;
  });
}

std::optional<std::string_view> header_parameter(std::string_view header, std::string_view name) {
  for (std::size_t end = header.find(';'); end != header.npos; end = header.find(';')) {
    header.remove_prefix(end + 1);
    const std::size_t sign = std::min(header.find_first_of("=;"), header.size());
    const bool is_named = lower(trimmed(header.substr(0, sign))) == name;
    header.remove_prefix(sign);
    if (!header.starts_with('=')) continue;
    header.remove_prefix(1);
    const bool is_quoted = header.starts_with('"');
    if (is_quoted) header.remove_prefix(1);
    const std::string_view value = header.substr(0, header.find(is_quoted ? '"' : ';'));
    header.remove_prefix(value.size());
    if (is_quoted && header.empty()) return {};
    if (is_named) return is_quoted ? value : trimmed(value);
  }
  return {};
}

}  // namespace glossa::serve
