#include "data/text/sentences.h"

#include "data/text/abbreviations.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

constexpr std::u32string_view ends_before_space =
    U"\u2026\u037E\u0589\u061F\u06D4\u1362\u104B\u17D4\u203C\u2047\u2048\u2049";
constexpr std::u32string_view ends_anywhere = U"\u0964\u0965\u3002\uFF01\uFF0E\uFF1F\uFF61";
constexpr std::u32string_view closing =
    U"\"')]}\u00AB\u00BB\u2019\u201C\u201D\u2039\u203A\u3009\u300B\u300D\u300F\u3011\uFF09";
constexpr std::u32string_view opening = U"([{\u00AB\u2018\u201C\u2039\u3008\u300A\u300C\u300E\u3010\uFF08";

bool is_in(std::u32string_view set, char32_t c) { return set.find(c) != set.npos; }
bool is_greek(char32_t c) { return (c >= 0x0370 && c <= 0x03FF) || (c >= 0x1F00 && c <= 0x1FFF); }

/// A position in a line at which a sentence may end.
struct End {
  std::size_t marks = 0;       // start of the end marks
  std::size_t after = 0;       // end of the marks, including closing quotes and brackets
  std::size_t next = 0;        // start of the next sentence
  std::string_view mark = {};  // text of the marks
  bool is_closed = false;      // true if quotes or brackets follow the marks
};

/// Finds the possible ends of sentences in a line, from left to right.
class Scan {
 public:
  explicit Scan(std::string_view line) : line_(line) {}

  /// Returns the next position at which a sentence may end and another may begin. After the last one, `next` is the end
  /// of the line.
  End next_end() {
    for (char32_t before = 0; at_ < line_.size(); before = take()) {
      if (!is_mark(now(), before)) continue;
      End end{.marks = at_};
      char32_t last = 0;
      while (is_mark(now(), before)) last = take();
      end.mark = line_.substr(end.marks, at_ - end.marks);
      while (is_mark(now(), before) || closes(now(), last)) {
        end.is_closed = true;
        take();
      }
      end.after = at_;
      skip_spaces();
      // After a space, a quote is a closing one, as in French, if no text follows it directly. An opening `"` directly
      // precedes its text.
      while (at_ > end.after && is_in(closing, now()) && !is_in(opening, now()) && ends_quote(after_now())) {
        end.is_closed = true;
        while (is_mark(now(), before) || closes(now(), last)) take();
        end.after = at_;
        skip_spaces();
      }
      end.next = at_;
      const bool is_close = utf8::stands_close(before) && utf8::stands_close(now());
      const bool parts = at_ > end.after || is_in(ends_anywhere, last) || is_close;
      if (parts || at_ == line_.size()) return end;
      before = last;
    }
    return {.marks = at_, .after = at_, .next = at_};
  }

 private:
  char32_t now() const { return at_ < line_.size() ? utf8::first(line_.substr(at_)).value : 0; }
  char32_t after_now() const {
    const std::string_view rest = line_.substr(at_);
    return utf8::first(rest.substr(utf8::first(rest).bytes)).value;
  }
  char32_t take() {
    const utf8::CodePoint c = utf8::first(line_.substr(at_));
    at_ += c.bytes;
    return c.value;
  }
  void skip_spaces() {
    while (at_ < line_.size() && utf8::is_space(now())) take();
  }
  static bool is_mark(char32_t c, char32_t before) {
    if (c < 0x80) return c == '.' || c == '!' || c == '?' || (c == ';' && is_greek(before));  // Greek question mark
    return is_in(ends_before_space, c) || is_in(ends_anywhere, c);
  }

  /// True for closing quotes and brackets directly after an end mark. “ and « close German quotes but open others.
  static bool closes(char32_t c, char32_t mark) {
    return is_in(closing, c) && !(is_in(ends_anywhere, mark) && is_in(opening, c));
  }

  /// True for the end of the line, and for characters that follow a closing quote.
  static bool ends_quote(char32_t next) { return next == 0 || utf8::is_space(next) || is_in(U".,;:!?)]}\u2026", next); }

  std::string_view line_;
  std::size_t at_ = 0;
};

bool is_ellipsis(std::string_view mark) {
  return mark.size() > 1 && mark.find_first_not_of(
                                "."
                                "\u2026") == mark.npos;
}

enum class Ends { all, certain, certain_in_lower_case };

/// True if the sentence that begins at `begin` certainly ends at `end`.
bool is_certain(std::string_view line, std::size_t begin, const End& end, std::string_view language, Ends ends) {
  const std::string_view sentence = line.substr(begin, end.marks - begin), rest = line.substr(end.next);
  const char32_t first = utf8::first_of_words(rest);
  if (first == 0 || utf8::first_of_words(sentence) == 0) return false;
  const bool needs_capital = ends == Ends::certain || end.is_closed || is_ellipsis(end.mark);
  if (needs_capital && utf8::is_lower(first) && !is_in(ends_anywhere, utf8::last_code_point(end.mark))) return false;
  const bool is_spaced = end.next > end.after;
  if (!is_spaced && end.is_closed) return is_in(opening, utf8::first(rest).value);
  if (!is_spaced && end.mark == "\uFF0E" && utf8::is_number(first)) return false;  // a decimal point
  if (is_ellipsis(end.mark)) return is_spaced && !utf8::is_space(utf8::last_code_point(sentence));
  return end.mark != "." || end.is_closed || !may_be_abbreviation(sentence, rest, language);
}

std::vector<std::string_view> split(std::string_view line, std::string_view language, Ends ends) {
  std::vector<std::string_view> sentences;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    const std::string_view sentence = utf8::trimmed(line.substr(begin, end - begin));
    if (!sentence.empty()) sentences.push_back(sentence);
  };
  Scan scan(line);
  for (End end = scan.next_end(); end.next < line.size(); end = scan.next_end()) {
    if (ends != Ends::all && !is_certain(line, begin, end, language, ends)) continue;
    add(end.after);
    begin = end.next;
  }
  add(line.size());
  return sentences;
}

}  // namespace

std::vector<std::string_view> split_sentences(std::string_view line, std::string_view language) {
  return split(line, language, Ends::certain);
}

std::vector<std::string_view> split_lowercased(std::string_view line, std::string_view language) {
  return split(line, language, Ends::certain_in_lower_case);
}

std::vector<std::string_view> split_at_end_marks(std::string_view line) { return split(line, {}, Ends::all); }

}  // namespace glossa
