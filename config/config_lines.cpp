#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/counted.h"
#include "config/config_text.h"
#include "config/options.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

using Text = std::string_view;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

Text without_blanks(Text text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Returns `text` up to a comment, without surrounding blanks.
Text without_comment(Text text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '#' && (i == 0 || is_blank(text[i - 1]))) return without_blanks(text.substr(0, i));
  return without_blanks(text);
}

/// Returns the name at the beginning of `text`, such as `train` or `data.train`; empty if there is no name.
Text leading_name(Text text) {
  if (text.empty() || !is_letter(text.front())) return "";
  const auto ends = [](char c) { return !is_letter(c) && !(c >= '0' && c <= '9') && c != '.' && c != '-'; };
  return text.substr(0, static_cast<std::size_t>(std::ranges::find_if(text, ends) - text.begin()));
}

/// Returns the position of a colon that ends a key: a blank or the end of the line follows. npos if not found.
std::size_t colon_of_key(Text text) {
  for (std::size_t at = text.find(':'); at != Text::npos; at = text.find(':', at + 1))
    if (at + 1 == text.size() || is_blank(text[at + 1])) return at;
  return Text::npos;
}

// True for characters that a reader overlooks or takes for plain spaces.
bool is_invisible(char32_t c) { return (c >= 0x200B && c <= 0x200D) || c == 0x2060 || c == 0xFEFF; }
bool is_odd_space(char32_t c) { return c >= 0x80 && utf8::is_space(c); }

std::string in_single_quotes(Text text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

std::string shown(Text text) { return GivenValue(std::string(text)).shown(); }

class LineCheck {
 public:
  explicit LineCheck(const std::string& name) : name_(name) {}

  /// Checks one line. Returns false if the text uses YAML that this check does not support.
  bool line(Text text) {
    ++number_;
    if (text.ends_with('\r')) text.remove_suffix(1);
    text_ = text;
    if (text.find('\r') != Text::npos)
      wrong("expected lines that end in LF; got a CR. Hint: replace each CR, for example with tr '\\r' '\\n'");
    if (!open_.empty()) {
      brackets(text);
      return true;
    }
    const Text content = indented(text);
    if (content.empty() || content.starts_with('#')) return true;
    if (is_marker(content)) {
      levels_.clear();
      last_ = {};
      return true;
    }
    if (content == "?" || content.starts_with("? ")) return false;
    if (content == "-" || content.starts_with("- "))
      item(content);
    else
      entry(content);
    return true;
  }

  void end() const {
    if (open_.empty()) return;
    const auto [bracket, line] = open_.back();
    misuse(fmt::format("{}:{}", name_, line), "expected '{}' to close '{}'; got the end of the file", closing(bracket),
           bracket);
  }

 private:
  struct Bracket {
    char open;
    int line;
  };
  struct Last {
    enum class Kind { nothing, section, item, value };
    Kind kind = Kind::nothing;
    std::size_t indentation = 0;
    int line = 0;
    std::string text;
  };
  using Kind = Last::Kind;

  template <class... Args>
  [[noreturn]] void wrong(Sentence<Args...> sentence, const Args&... args) const {
    misuse(fmt::format("{}:{}", name_, number_), sentence, args...);
  }

  static char closing(char bracket) { return bracket == '[' ? ']' : '}'; }

  /// Returns the column of a part of the line, counted from 1, in characters.
  std::ptrdiff_t column(Text part) const {
    const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    return std::count_if(text_.data(), part.data(), begins) + 1;
  }

  bool is_marker(Text content) const {
    const bool at_margin = content.data() == text_.data();
    return at_margin && (content.starts_with("---") || content.starts_with("...") || content.starts_with('%'));
  }

  void check_spaces(Text part) const {
    utf8::for_each(part, [&](Text piece, utf8::CodePoint c) {
      const auto code = static_cast<std::uint32_t>(c.value);
      if (is_odd_space(c.value))
        wrong("expected a plain space in column {}; got {}U+{:04X}. Hint: replace it", column(piece),
              c.value == 0xA0 ? "a non-breaking space, " : "the space ", code);
      if (is_invisible(c.value))
        wrong("expected visible characters; got U+{:04X} in column {}. Hint: delete it", code, column(piece));
    });
  }

  /// Returns the line's content, without its indentation.
  Text indented(Text text) const {
    const Text content = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    if (without_blanks(content).empty()) return "";
    if (content.front() == '\t')
      wrong("expected spaces for indentation; got a tab in column {}. Hint: YAML allows no tabs there",
            column(content));
    check_spaces(content.substr(0, content.find_first_of("\"'[{#")));
    return content;
  }

  /// Checks a line's indentation against those of earlier lines.
  void check_level(std::size_t spaces) {
    const auto refuse = [&](std::size_t expected, int line, const std::string& hint) {
      wrong("expected {} of indentation, as in line {}; got {}. Hint: {}", counted(expected, "space"), line, spaces,
            hint);
    };
    if (last_.kind == Kind::value && spaces > last_.indentation)
      refuse(last_.indentation, last_.line, shown(last_.text) + " has a value, so nothing can be below it");
    while (!levels_.empty() && levels_.back().first > spaces) {
      const auto [above, line] = levels_.back();
      levels_.pop_back();
      if (levels_.empty() || levels_.back().first < spaces)
        refuse(above, line, "lines of one section begin in one column");
    }
    if (levels_.empty() || levels_.back().first < spaces) levels_.emplace_back(spaces, number_);
  }

  std::size_t indentation(Text content) const { return static_cast<std::size_t>(content.data() - text_.data()); }

  void remember(Kind kind, Text content) {
    last_ = {kind, indentation(content), number_, std::string(without_comment(content))};
  }

  /// Checks a line of a list, such as `- a`.
  void item(Text content) {
    check_level(indentation(content));
    const Text rest = without_blanks(content.substr(1));
    const Text name = leading_name(rest);
    if (!name.empty() && colon_of_key(rest) == name.size())
      wrong("expected '{0}'; got '- {0}'. Hint: options have no dash before them", without_comment(rest));
    value(rest);
    remember(Kind::item, content);
  }

  /// Checks a line such as `key: value`.
  void entry(Text content) {
    if (content.starts_with('{') || content.starts_with('[')) return document(content);
    check_level(indentation(content));
    const Text name = leading_name(content);
    if (!name.empty()) check_separator(name, content.substr(name.size()));
    const std::size_t colon =
        content.front() == '"' || content.front() == '\'' ? colon_after_quotes(content) : colon_of_key(content);
    const bool is_comment = colon != Text::npos && without_comment(content).size() <= colon;
    if (colon == Text::npos || is_comment) no_colon(content);
    const Text given = without_blanks(content.substr(colon + 1));
    const bool has_value = value(given);
    remember(has_value ? Kind::value : Kind::section, content);
  }

  std::size_t colon_after_quotes(Text content) {
    const std::size_t end = quoted(content);
    const std::size_t colon = colon_of_key(content.substr(end));
    return colon == Text::npos ? colon : end + colon;
  }

  [[noreturn]] void no_colon(Text content) const {
    const Text got = without_comment(content);
    const bool is_key = last_.kind == Kind::section && last_.indentation > 0;
    if (is_key && indentation(content) > last_.indentation)
      wrong("expected a value in the line of its key; got it below. Hint: write {} {} in line {}", last_.text, got,
            last_.line);
    wrong("expected KEY: VALUE, or a section such as 'data:'; got {}", shown(got));
  }

  /// Checks the separator between a key and its value.
  void check_separator(Text name, Text rest) const {
    constexpr Text wide_colon = "\xEF\xBC\x9A";
    const auto refuse = [&](Text expected, Text got, Text given) {
      const Text value = without_comment(given);
      wrong("expected '{}' after '{}'; got '{}'. Hint: write {}:{}{}", expected, name, got, name,
            value.empty() ? "" : " ", value);
    };
    const Text after = without_blanks(rest);
    if (after.starts_with('=')) refuse(":", "=", after.substr(1));
    if (after.starts_with(wide_colon)) refuse(":", wide_colon, after.substr(wide_colon.size()));
    if (rest.size() > 1 && rest.front() == ':' && !is_blank(rest[1]) && rest[1] != ':')
      wrong("expected a space after '{0}:'; got '{0}{1}'. Hint: write {0}: {2}", name, without_comment(rest),
            without_comment(rest.substr(1)));
  }

  /// Checks text that begins with a bracket where a section is expected.
  void document(Text content) {
    const Text line = without_comment(content);
    const Text inner = line.substr(1, line.size() - std::min<std::size_t>(line.size(), 2));
    if (line.starts_with('[') && line.ends_with(']') && !inner.empty() && leading_name(inner) == inner)
      wrong("expected '{}:'; got '{}'. Hint: write YAML, in which 'key: value' lines follow, indented by 2 spaces",
            inner, line);
    brackets(content);
    remember(Kind::item, content);
  }

  /// Checks a value up to the end of its line. Returns false if the value is missing.
  bool value(Text given) {
    if (given.empty() || given.front() == '#') return false;
    if (given.front() == '[' || given.front() == '{') {
      brackets(given);
      return true;
    }
    if (given.front() == '"' || given.front() == '\'') {
      const Text rest = given.substr(quoted(given));
      if (!without_comment(rest).empty())
        wrong("expected the end of the line after the quote in column {}; got {}. Hint: {}", column(rest) - 1,
              shown(without_comment(rest)),
              given.front() == '\'' ? "within single quotes, write ' as ''" : "within double quotes, write \" as \\\"");
      return true;
    }
    const Text plain = without_comment(given);
    for (const Text mark : {"“", "”", "„", "‘", "’", "«", "»"})
      if (plain.starts_with(mark)) wrong("expected \" or ' as quotes; got {}. Hint: type the quotes anew", mark);
    check_spaces(plain);
    constexpr Text reserved = "&*!|>%@`,";
    if (reserved.find(plain.front()) != Text::npos)
      wrong("expected a value; got {}, which begins with a reserved character. Hint: write it in quotes: {}",
            shown(plain), in_single_quotes(plain));
    if (colon_of_key(plain) != Text::npos)
      wrong("expected one value; got {}, with a second ':'. Hint: begin a new line, or write the value in quotes: {}",
            shown(plain), in_single_quotes(plain));
    return true;
  }

  /// Returns the position after the quote that closes the one at the beginning of `text`.
  std::size_t quoted(Text text) const {
    const char quote = text.front();
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (quote == '"' && text[i] == '\\') {
        constexpr Text known = "0abt\tnvfre \"/\\N_LPxuU";
        if (i + 1 < text.size() && known.find(text[i + 1]) == Text::npos)
          wrong(
              "expected \\\\ or an escape such as \\t in double quotes; got {}. Hint: in single quotes, \\ has no "
              "special meaning",
              shown(text.substr(i)));
        ++i;
      } else if (text[i] == quote) {
        if (quote == '"' || i + 1 == text.size() || text[i + 1] != '\'') return i + 1;
        ++i;
      }
    }
    wrong("expected a second {} to close the quote in column {}; got the end of the line", quote, column(text));
  }

  /// Checks brackets up to the end of the line.
  void brackets(Text text) {
    std::size_t plain = 0;  // start of the text after the last quotes
    bool at_begin = true;   // true at the start of a value or key
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '#' && (i == 0 || is_blank(text[i - 1]))) {
        text = text.substr(0, i);
        break;
      }
      if (at_begin && (c == '"' || c == '\'')) {
        check_spaces(text.substr(plain, i - plain));
        plain = i + quoted(text.substr(i));
        i = plain - 1;
      } else if (c == '[' || c == '{') {
        open_.push_back({c, number_});
      } else if (c == ']' || c == '}') {
        if (open_.empty()) break;  // the YAML library reports the bracket
        if (closing(open_.back().open) != c)
          wrong("expected '{}' to close '{}' of line {}; got '{}'", closing(open_.back().open), open_.back().open,
                open_.back().line, c);
        open_.pop_back();
      }
      if (!is_blank(c)) at_begin = c == '[' || c == '{' || c == ',' || c == ':';
    }
    check_spaces(text.substr(std::min(plain, text.size())));
  }

  const std::string& name_;
  int number_ = 0;
  Text text_;
  std::vector<Bracket> open_;
  std::vector<std::pair<std::size_t, int>> levels_;  // each indentation, with the first line that has it
  Last last_;
};

}  // namespace

void check_config_lines(std::string_view yaml, const std::string& where) {
  if (yaml.starts_with("\xEF\xBB\xBF")) yaml.remove_prefix(3);
  LineCheck check(where);
  while (!yaml.empty()) {
    const std::size_t end = std::min(yaml.find('\n'), yaml.size());
    if (!check.line(yaml.substr(0, end))) return;
    yaml.remove_prefix(std::min(end + 1, yaml.size()));
  }
  check.end();
}

}  // namespace glossa
