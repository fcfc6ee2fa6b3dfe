#pragma once

#include <fmt/core.h>

#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace glossa::serve {

/// Shortens a text that an error quotes, because clients may send megabytes. Returns values of other types unchanged.
template <class Value>
auto brief(const Value& value) {
  if constexpr (std::convertible_to<const Value&, std::string_view>) {
    constexpr std::size_t longest = 200;  // bytes
    const std::string_view text = value;
    if (text.size() <= longest) return std::string(text);
    std::size_t end = longest;
    while (end > 0 && (text[end] & 0xC0) == 0x80) --end;  // avoids a cut within a UTF-8 character
    return fmt::format("{}...", text.substr(0, end));
  } else {
    return value;
  }
}

/// An error answer to a request: an HTTP status and a text with the reason. Shortens text arguments with `brief`,
/// because they may come from the client.
class HttpError : public std::runtime_error {
 public:
  template <class... Args>
  HttpError(int status, fmt::format_string<decltype(brief(std::declval<const Args&>()))...> format, const Args&... args)
      : std::runtime_error(fmt::format(format, brief(args)...)), status_(status) {}

  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace glossa::serve
