#include "exchange/vocabulary_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/check.h"
#include "data/text/text_file.h"
#include "data/text/utf8.h"

namespace glossa {

namespace {

constexpr std::size_t max_tokens = 1 << 18, max_bytes = 32 << 20;

/// Tokens with their ids, which may come in any order.
class Numbered {
 public:
  explicit Numbered(std::string where) : where_(std::move(where)) {}

  void add(std::string token, std::uint64_t id) {
    check(id < max_tokens, where_, "expected at most {} tokens; got id {}", max_tokens, id);
    if (id >= tokens_.size()) tokens_.resize(id + 1);
    is_given_.resize(tokens_.size());
    check(!is_given_[id], where_, "expected every id once; got {} for '{}' and for '{}'", id, tokens_[id], token);
    tokens_[id] = std::move(token);
    is_given_[id] = true;
    ++count_;
  }

  std::vector<std::string> in_order() && {
    const std::size_t size = tokens_.size();
    check(size > 0, where_, "expected tokens; got none");
    check(count_ == size, where_, "expected the ids 0 to {}, one for each of {} tokens; got {} for '{}'", count_ - 1,
          count_, size - 1, tokens_.back());
    std::vector<std::uint32_t> ids(size);
    std::iota(ids.begin(), ids.end(), 0);
    const auto token = [&](std::uint32_t id) -> const std::string& { return tokens_[id]; };
    std::ranges::sort(ids, {}, token);
    const auto twice = std::ranges::adjacent_find(ids, {}, token);
    if (twice != ids.end()) fail(where_, "expected every token once; got '{}' twice", token(*twice));
    return std::move(tokens_);
  }

 private:
  std::string where_;
  std::vector<std::string> tokens_;
  std::vector<bool> is_given_;
  std::size_t count_ = 0;
};

/// Removes a YAML escape, whose backslash was already removed, from the front of `rest`. Appends its character to
/// `value`.
void take_escape(std::string_view& rest, std::string& value, const std::string& where) {
  check(!rest.empty(), where, "expected an escape after a backslash; got the end of the line");
  const char letter = rest.front();
  rest.remove_prefix(1);
  if (const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0) {
    std::uint32_t code = 0;
    const std::string_view text = rest.substr(0, digits);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code, 16);
    const bool is_surrogate = code >= 0xD800 && code < 0xE000;
    check(error == std::errc() && end == text.data() + digits && code <= 0x10FFFF && !is_surrogate, where,
          "expected {} hexadecimal digits of a character after \\{}; got other text", digits, letter);
    rest.remove_prefix(digits);
    return utf8::append(value, code);
  }
  // YAML 1.2, section 5.7
  constexpr std::string_view letters = "0abtnvfre \"/\\N_LP";
  constexpr char32_t codes[] = {0, 7, 8, 9, 10, 11, 12, 13, 27, ' ', '"', '/', '\\', 0x85, 0xA0, 0x2028, 0x2029};
  const std::size_t which = letters.find(letter);
  check(which != letters.npos, where, "expected a YAML escape; got '\\{}'", letter);
  utf8::append(value, codes[which]);
}

/// Removes a YAML scalar from the front of `rest`, and returns it.
std::string take_scalar(std::string_view& rest, const std::string& where) {
  std::string value;
  if (!rest.starts_with('"') && !rest.starts_with('\'')) {  // plain: ends before the last ": " or at the line's end
    value = rest.substr(0, rest.rfind(": "));
    rest.remove_prefix(value.size());
    return value;
  }
  const char quote = rest.front();
  rest.remove_prefix(1);
  while (true) {
    const std::size_t end = rest.find_first_of(quote == '"' ? "\"\\" : "'");
    check(end != rest.npos, where, "expected a closing quote; got the end of the line");
    const bool is_escape = rest[end] == '\\';
    value += rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (is_escape) {
      take_escape(rest, value, where);
    } else if (quote == '\'' && rest.starts_with(quote)) {  // two quotes mean one
      value += quote;
      rest.remove_prefix(1);
    } else {
      return value;
    }
  }
}

/// Returns the number after `: `.
std::uint64_t id_behind(std::string_view rest, const std::string& where) {
  const bool ok = rest.starts_with(": ");
  rest.remove_prefix(ok ? 2 : 0);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  std::uint64_t id = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), id);
  check(ok && error == std::errc() && end == rest.data() + rest.size(), where,
        "expected `TOKEN: ID`; got another line");
  return id;
}

/// Returns the escape of a character that YAML permits only as an escape, or that PyYAML treats as a line break. Empty
/// for other characters.
std::string yaml_escape(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return fmt::format("\\x{:02X}", static_cast<std::uint32_t>(c));
  if (c == 0xFFFE || c == 0xFFFF) return fmt::format("\\u{:04X}", static_cast<std::uint32_t>(c));
  return {};
}

}  // namespace

std::vector<std::string> read_json_vocabulary(const std::filesystem::path& path) {
  using Json = nlohmann::json;
  using Event = Json::parse_event_t;
  const std::string text = read_file(path, max_bytes);
  const std::size_t zero = text.find('\0');  // the parser would treat a NUL as the end of the text
  check(zero == std::string::npos, path.string(), "expected a vocabulary in JSON; got a zero byte in it");
  Numbered numbered(path);
  std::string token;
  bool is_object = false;
  const auto take = [&](int depth, Event event, Json& value) {
    is_object = is_object || (depth == 0 && event == Event::object_start);
    const bool fits = event == Event::key     ? depth == 1
                      : event == Event::value ? depth == 1 && value.is_number_unsigned()
                                              : depth == 0 && event != Event::array_start;
    check(fits && is_object, path.string(), "expected a vocabulary: a JSON object of tokens and their ids; got {} {}",
          token.empty() ? "something else" : "another value for", token.substr(0, 100));
    if (event == Event::key) token = value.get_ref<const std::string&>();
    if (event == Event::value) numbered.add(std::move(token), value.get<std::uint64_t>());
    return event != Event::key;  // false drops the key and its value
  };
  try {
    [[maybe_unused]] const Json nothing = Json::parse(text, take);
  } catch (const Json::exception& reason) {
    fail(path.string(), "expected a vocabulary in JSON; got {}", std::string(reason.what()).substr(0, 200));
  }
  return std::move(numbered).in_order();
}

std::vector<std::string> read_yaml_vocabulary(const std::filesystem::path& path) {
  const std::string text = read_file(path, max_bytes);
  const std::size_t invalid = utf8::find_invalid(text);
  check(invalid == std::string::npos, path.string(), "expected a vocabulary in UTF-8; got an invalid byte at {}",
        invalid);
  Numbered numbered(path);
  std::string_view left = text;
  std::optional<std::string> waiting;  // a token whose id is on the next line
  for (std::int64_t number = 1; !left.empty(); ++number) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string where = fmt::format("{}:{}", path.string(), number);
    if (waiting) {
      numbered.add(*std::exchange(waiting, std::nullopt), id_behind(line, where));
    } else if (line.starts_with("? ")) {
      line.remove_prefix(2);
      waiting = take_scalar(line, where);
      check(line.empty(), where, "expected only a token after `? `; got more");
    } else if (!line.empty() && line != "---" && line != "..." && !line.starts_with('#')) {
      std::string token = take_scalar(line, where);
      numbered.add(std::move(token), id_behind(line, where));
    }
  }
  check(!waiting, path.string(), "expected an id for '{}'; got the end of the file", waiting.value_or(""));
  return std::move(numbered).in_order();
}

std::string yaml_vocabulary(std::span<const std::string> tokens) {
  std::string yaml;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    // Prefers single quotes, which need no escapes: CTranslate2 misreads an escape after a backslash.
    std::string single, doubled;
    bool is_escaped = false, is_one_line = tokens[id].size() < 300;  // YAML limits a key before `:` to 1024 characters
    utf8::for_each(tokens[id], [&](std::string_view bytes, utf8::CodePoint c) {
      const std::string escape = yaml_escape(c.value);
      is_escaped |= !escape.empty();
      is_one_line &= c.value != 0x2028 && c.value != 0x2029;  // PyYAML treats these as line breaks, but keeps them
      single += bytes == "'" ? "''" : bytes;
      if (bytes == "\"" || bytes == "\\") doubled += '\\';
      doubled += escape.empty() ? bytes : escape;
    });
    const std::string token = is_escaped ? '"' + doubled + '"' : '\'' + single + '\'';
    yaml += is_one_line ? fmt::format("{}: {}\n", token, id) : fmt::format("? {}\n: {}\n", token, id);
  }
  return yaml;
}

}  // namespace glossa
