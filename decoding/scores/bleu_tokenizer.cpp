#include "decoding/scores/bleu_tokenizer.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "data/text/utf8.h"
#include "data/tokenizers/vocabulary_tokenizer.h"

namespace glossa {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

/// Puts spaces around each code point that `matches`.
template <class Matches>
std::string isolate(std::string_view text, Matches matches) {
  std::string result;
  utf8::for_each(text, [&](std::string_view piece, utf8::CodePoint c) {
    const bool apart = matches(c.value);
    if (apart) result += ' ';
    result += piece;
    if (apart) result += ' ';
  });
  return result;
}

/// Inserts a space between two neighbors a and b if `matches(a, b)`. `before` and `after` add one before or after the
/// pair. Pairs do not overlap, as in a regex substitution.
template <class Matches>
std::string split_pairs(std::string_view text, Matches matches, bool before, bool after) {
  std::string result;
  while (!text.empty()) {
    const utf8::CodePoint a = utf8::first(text), b = utf8::first(text.substr(a.bytes));
    const std::string_view left = text.substr(0, a.bytes), right = text.substr(a.bytes, b.bytes);
    const bool apart = !right.empty() && matches(a.value, b.value);
    if (apart && before) result += ' ';
    result += left;
    text.remove_prefix(left.size());
    if (!apart) continue;
    result += ' ';
    result += right;
    if (after) result += ' ';
    text.remove_prefix(right.size());
  }
  return result;
}

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_point(char32_t c) { return c == '.' || c == ','; }

/// True for ASCII punctuation and space, except apostrophe, comma, hyphen and period.
bool is_ascii_symbol(char32_t c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
         (c >= ':' && c <= '@') || c == '/';
}

/// Applies mteval-v13a's rules for Western languages.
std::string split_ascii_punctuation(std::string_view line) {
  std::string text = isolate(line, is_ascii_symbol);
  text = split_pairs(
      text, [](char32_t a, char32_t b) { return !is_digit(a) && is_point(b); }, false, true);
  text = split_pairs(
      text, [](char32_t a, char32_t b) { return is_point(a) && !is_digit(b); }, true, false);
  return split_pairs(
      text, [](char32_t a, char32_t b) { return is_digit(a) && b == '-'; }, false, true);
}

std::string split_13a(std::string_view line) {
  std::string text(line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  return split_ascii_punctuation(' ' + text + ' ');
}

std::string split_intl(std::string_view line) {
  std::string text = split_pairs(
      line, [](char32_t a, char32_t b) { return !utf8::is_number(a) && utf8::is_punctuation(b); }, false, true);
  text = split_pairs(
      text, [](char32_t a, char32_t b) { return utf8::is_punctuation(a) && !utf8::is_number(b); }, true, false);
  return isolate(text, utf8::is_symbol);
}

/// True for a Chinese character in sacreBLEU's sense. The first two ranges of the second line copy a mistake of
/// sacreBLEU, to keep scores comparable. They should be U+20000 to U+2A6D6 and U+2F800 to U+2FA1D, extension B and the
/// compatibility ideographs supplement. With a digit missing, they are punctuation, arrows and mathematics.
bool is_chinese(char32_t c) {
  struct Range {
    char32_t first, last;
  };
  constexpr std::array<Range, 22> ranges{{
      {0x3400, 0x4DB5}, {0x4E00, 0x9FA5}, {0x9FA6, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9},
      {0x2001, 0x2A6D}, {0x2F81, 0x2FA1}, {0xFF00, 0xFFEF}, {0x2E80, 0x2EFF}, {0x3000, 0x303F}, {0x31C0, 0x31EF},
      {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F},
      {0x2600, 0x26FF}, {0x2700, 0x27BF}, {0x3200, 0x32FF}, {0x3300, 0x33FF},
  }};
  return std::ranges::any_of(ranges, [c](Range range) { return c >= range.first && c <= range.last; });
}

}  // namespace

std::string_view name(BleuTokenizer tokenizer) { return bleu_tokenizer_names.begin()[static_cast<int>(tokenizer)]; }

std::optional<BleuTokenizer> bleu_tokenizer_of(std::string_view name) {
  const auto found = std::ranges::find(bleu_tokenizer_names, name);
  if (found == bleu_tokenizer_names.end()) return std::nullopt;
  return static_cast<BleuTokenizer>(found - bleu_tokenizer_names.begin());
}

std::vector<std::string> bleu_tokens(BleuTokenizer tokenizer, std::string_view line) {
  // Like sacreBLEU, removes white space at the end of the line.
  const std::vector<std::string_view> whole = split_words(line, utf8::is_python_space);
  if (whole.empty()) return {};
  line = {line.data(), whole.back().data() + whole.back().size()};
  std::string text(line);
  switch (tokenizer) {
    case BleuTokenizer::mteval_13a:
      text = split_13a(line);
      break;
    case BleuTokenizer::none:
      break;
    case BleuTokenizer::characters:
      text = isolate(line, [](char32_t) { return true; });
      break;
    case BleuTokenizer::intl:
      text = split_intl(line);
      break;
    case BleuTokenizer::chinese:
      text = split_ascii_punctuation(isolate(line.substr(line.find(whole.front())), is_chinese));
      break;
  }
  const std::vector<std::string_view> words = split_words(text, utf8::is_python_space);
  return {words.begin(), words.end()};
}

BleuTokenizer usual_bleu_tokenizer(std::string_view language, std::span<const std::string> text) {
  const auto one_of = [code = utf8::lower_case(language.substr(0, language.find_first_of("-_")))](
                          std::initializer_list<const char*> codes) {
    return std::ranges::find(codes, code) != codes.end();
  };
  if (one_of({"zh", "zho", "chi", "cmn", "yue"})) return BleuTokenizer::chinese;
  // Japanese, Thai, Lao, Khmer, Burmese, Tibetan and Dzongkha have no spaces between words; Korean has them only
  // between phrases. (sacreBLEU splits Japanese and Korean with morphological analyzers.)
  if (one_of({"ja", "jpn", "th", "tha", "lo", "lao", "km", "khm", "my", "mya", "bur", "bo", "bod", "tib", "dz", "dzo",
              "ko", "kor"}))
    return BleuTokenizer::characters;
  constexpr char32_t first_unspaced =
      0xE00;  // first of Thai; lower scripts use spaces, even if a text of one-word lines has none
  std::int64_t characters = 0, spaces = 0, unspaced = 0;
  for (const std::string& line : text)
    utf8::for_each(line, [&](std::string_view, utf8::CodePoint c) {
      ++characters;
      spaces += utf8::is_space(c.value);
      unspaced += c.value >= first_unspaced;
    });
  // With words of ten letters, every eleventh character is a space. Thai and Burmese have only a few spaces, between
  // phrases.
  return characters > 20 * spaces && 2 * unspaced > characters ? BleuTokenizer::characters : BleuTokenizer::mteval_13a;
}

}  // namespace glossa
