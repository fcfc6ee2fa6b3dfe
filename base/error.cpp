#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace glossa {

namespace {

std::string text_of(const Error::Parts& parts) {
  const std::string text = fmt::format("[{}] {}", parts.where, parts.message());
  return parts.hint.empty() ? text : fmt::format("{}{} Hint: {}", text, text.ends_with('?') ? "" : ".", parts.hint);
}

/// Number of unnumbered {} in a format string.
int count_arguments(std::string_view format) {
  int count = 0;
  for (std::size_t at = 0; (at = format.find('{', at)) != format.npos; ++at) {
    const char next = format[at + 1];
    if (next == '{') ++at;  // an escaped brace
    if (next != '{' && (next < '0' || next > '9')) ++count;
  }
  return count;
}

}  // namespace

std::string Error::Parts::message() const {
  const std::string text = key.empty() ? "" : key + ": ";
  if (!problem.empty()) return text + problem;
  return fmt::format("{}expected {}; {}{}", text, expected, got ? "got " : "not found", got.value_or(""));
}

Error::Parts Error::Parts::with_hint(std::string other) const {
  Parts parts = *this;
  parts.hint = std::move(other);
  return parts;
}

Error::Parts Error::Parts::of_format(std::string_view where, std::string_view sentence, fmt::format_args args) {
  constexpr std::string_view expects = "expected ", gets = "; got ", finds_nothing = "; not found", hints = ". Hint: ";
  std::vector<fmt::basic_format_arg<fmt::format_context>> left;
  while (const auto argument = args.get(static_cast<int>(left.size()))) left.push_back(argument);
  // Formats the part of the sentence before `end`, or all of it without `end`. Removes this part and its arguments.
  const auto take = [&](std::string_view end) {
    const std::string_view part = sentence.substr(0, sentence.find(end));
    std::string text = fmt::vformat(part, {left.data(), static_cast<int>(left.size())});
    left.erase(left.begin(), left.begin() + count_arguments(part));
    sentence.remove_prefix(std::min(part.size() + end.size(), sentence.size()));
    return text;
  };
  Parts parts{.where = std::string(where)};
  if (sentence.starts_with(expects)) {
    sentence.remove_prefix(expects.size());
    const bool has_got = sentence.find(gets) < sentence.find(hints);
    parts.expected = take(has_got ? gets : finds_nothing);
    std::string got = take(hints);
    if (has_got) parts.got = std::move(got);
  } else {
    parts.problem = take(hints);
  }
  parts.hint = take(hints);
  return parts;
}

Error::Error(Kind kind, Parts parts)
    : std::runtime_error(text_of(parts)), kind_(kind), parts_(std::make_shared<const Parts>(std::move(parts))) {}

}  // namespace glossa
