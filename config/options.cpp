#include "config/options.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace glossa {
namespace {

using Kind = GivenValue::Kind;

template <class T>
std::optional<T> parse_all(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? std::optional<T>(value) : std::nullopt;
}

/// Returns the shortest text that reads back as the same number: `1e-9`, not `1e-09`.
std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  const auto exponent = text.find('e');
  if (exponent != text.npos && text[exponent + 2] == '0') text.erase(exponent + 2, 1);
  return text;
}

struct Interval {
  std::string text;
  double low, high;
  bool low_open, high_open;

  explicit Interval(std::string_view source) : text(source) {
    const auto comma = source.find(", ");
    low_open = source.front() == '(';
    high_open = source.back() == ')';
    low = parse_all<double>(source.substr(1, comma - 1)).value();
    high = parse_all<double>(source.substr(comma + 2, source.size() - comma - 3)).value();
  }

  // False for NaN, and for infinity because all bounds are finite.
  bool contains(double x) const { return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high); }
};

/// Formats text as YAML: plain if every reader parses it as text, otherwise in double quotes.
std::string yaml_text(const std::string& value) {
  static constexpr std::array words{"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto harmless = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == '/';
  };
  std::string lower = value;
  for (char& c : lower)
    if (letter(c)) c = static_cast<char>(c | 0x20);
  const bool plain = !value.empty() && (letter(value[0]) || value[0] == '/') &&
                     std::all_of(value.begin(), value.end(), harmless) &&
                     std::find(words.begin(), words.end(), lower) == words.end();
  if (plain) return value;
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      quoted += fmt::format("\\x{:02x}", c);
    else
      quoted += c;
  }
  return quoted + '"';
}

bool is_in_brackets(std::string_view text) { return text.size() >= 2 && text.front() == '[' && text.back() == ']'; }

/// Makes a rule for a single scalar, whose text is passed to `parse`.
template <class T, class Parse, class Text>
ValueRule<T> scalar_rule(std::string accepts, Parse parse, Text text) {
  return {std::move(accepts),
          [parse](const GivenValue& given) {
            return given.kind == Kind::scalar ? std::optional<T>(parse(given.scalar)) : std::nullopt;
          },
          text};
}

}  // namespace

std::vector<std::string> GivenValue::elements() const {
  if (kind == Kind::list) return list;
  std::string_view text = scalar;
  if (is_in_brackets(text)) text = text.substr(1, text.size() - 2);
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

std::string in_brackets(const std::vector<std::string>& texts) { return fmt::format("[{}]", fmt::join(texts, ", ")); }

std::string GivenValue::shown() const {
  switch (kind) {
    case Kind::scalar: {
      std::size_t length = 60;
      if (scalar.size() <= length) return fmt::format("'{}'", scalar);
      while (length > 0 && (scalar[length] & 0xC0) == 0x80) --length;  // avoids a cut inside a UTF-8 character
      return fmt::format("'{}...'", scalar.substr(0, length));
    }
    case Kind::list:
      return "a list";
    case Kind::nested:
      return "nested values";
    default:
      return "nothing";
  }
}

ValueRule<bool> true_or_false() {
  return scalar_rule<bool>(
      "true or false",
      [](std::string_view s) {
        return s == "true" ? std::optional(true) : s == "false" ? std::optional(false) : std::nullopt;
      },
      [](bool value) { return std::string(value ? "true" : "false"); });
}

ValueRule<std::int64_t> whole(std::string_view interval) {
  const Interval range(interval);
  return scalar_rule<std::int64_t>(
      "a whole number in " + range.text,
      [range](std::string_view s) {
        const auto value = parse_whole(s);
        return value && range.contains(static_cast<double>(*value)) ? value : std::nullopt;
      },
      [](std::int64_t value) { return fmt::format("{}", value); });
}

ValueRule<std::vector<std::int64_t>> whole_list(std::string_view interval) {
  return list_of(fmt::format("a list of whole numbers in {}", interval), whole(interval));
}

ValueRule<double> number(std::string_view interval) {
  const Interval range(interval);
  return scalar_rule<double>(
      "a number in " + range.text,
      [range](std::string_view s) {
        const auto value = parse_all<double>(s);
        return value && range.contains(*value) ? value : std::nullopt;
      },
      number_text);
}

std::string with_alternative(std::string accepts, const std::string& word) {
  constexpr std::string_view before_last = " or ";
  const std::size_t last = accepts.rfind(before_last);
  if (last == accepts.npos) return accepts + " or " + word;
  const bool has_comma = accepts[last - 1] == ',';
  accepts.replace(last, before_last.size(), has_comma ? " " : ", ");
  return accepts + (has_comma ? ", or " : " or ") + word;
}

ValueRule<HeldOut> held_out() {
  return scalar_rule<HeldOut>(
      "none, VALID/TEST such as 1000/1000",
      [](std::string_view s) -> std::optional<HeldOut> {
        if (s == "none") return HeldOut{};
        const auto slash = std::min(s.find('/'), s.size());
        const auto valid = parse_whole(s.substr(0, slash)), test = parse_whole(s.substr(std::min(slash + 1, s.size())));
        constexpr std::int64_t most = 1'000'000'000;
        if (!valid || !test || *valid < 0 || *test < 0 || *valid > most || *test > most) return std::nullopt;
        return HeldOut{*valid, *test};
      },
      [](const HeldOut& pairs) { return pairs.pairs() == 0 ? "none" : fmt::format("{}/{}", pairs.valid, pairs.test); });
}

ValueRule<std::string> text(const char* accepts, bool may_be_empty) {
  return {accepts,
          [may_be_empty](const GivenValue& given) -> std::optional<std::string> {
            const bool is_text = given.kind == Kind::scalar || given.kind == Kind::nothing;
            if (!is_text || (given.scalar.empty() && !may_be_empty)) return std::nullopt;
            return given.scalar;
          },
          yaml_text};
}

ValueRule<CorpusNames> corpus_names(const char* accepts) {
  return {accepts,
          [](const GivenValue& given) -> std::optional<CorpusNames> {
            if (given.kind == Kind::nested) return std::nullopt;
            const bool is_list = given.kind == Kind::list || is_in_brackets(given.scalar);
            if (!is_list) return CorpusNames(given.scalar);
            std::vector<std::string> names = given.elements();
            if (std::ranges::any_of(names, &std::string::empty)) return std::nullopt;
            return CorpusNames(std::move(names));
          },
          [](const CorpusNames& names) {
            if (names.empty()) return yaml_text("");
            if (names.size() == 1 && !is_in_brackets(names.front())) return yaml_text(names.front());
            std::vector<std::string> texts;
            for (const std::string& name : names) texts.push_back(yaml_text(name));
            return in_brackets(texts);
          }};
}

ValueRule<std::vector<std::string>> text_list(const char* accepts) { return list_of(accepts, text(accepts)); }

ValueRule<Period> period() {
  return or_never(scalar_rule<Period>(
      "a period such as 500u, 2e or 10Mt", [](std::string_view s) { return parse_period(s, Period::Unit::updates); },
      to_string));
}

ValueRule<Period> updates_or_epochs(std::string_view interval) {
  const Interval range(interval);
  return scalar_rule<Period>(
      "a whole number in " + range.text + " or epochs such as 2e",
      [range](std::string_view s) {
        const auto value = parse_period(s, Period::Unit::updates);
        const bool fits = value && value->unit != Period::Unit::target_tokens && range.contains(value->amount);
        return fits ? value : std::nullopt;
      },
      [](const Period& value) {
        return value.unit == Period::Unit::epochs ? to_string(value) : fmt::format("{:.0f}", value.amount);
      });
}

ValueRule<Period> limit(Period::Unit unit) {
  constexpr std::array examples{"updates such as 500, 500u or 100Ku", "epochs such as 20 or 20e",
                                "target tokens such as 500K or 10Mt"};
  return or_never(scalar_rule<Period>(
      examples[static_cast<std::size_t>(unit)],
      [unit](std::string_view s) {
        const auto value = parse_period(s, unit);
        return value && value->unit == unit ? value : std::nullopt;
      },
      to_string));
}

ValueRule<std::size_t> choice_index(Names literals) {
  const std::vector<std::string> names(literals.begin(), literals.end()), most(names.begin(), names.end() - 1);
  return scalar_rule<std::size_t>(
      fmt::format("{} or {}", fmt::join(most, ", "), names.back()),
      [names](std::string_view s) {
        const auto found = std::find(names.begin(), names.end(), s);
        return found == names.end() ? std::nullopt : std::optional<std::size_t>(found - names.begin());
      },
      [names](std::size_t index) { return names.at(index); });
}

ValueRule<std::string> text_choice(Names names) {
  const ValueRule<std::size_t> rule = choice_index(names);
  return {rule.accepts,
          [rule](const GivenValue& given) {
            const auto index = rule.read(given);
            return index ? std::optional(rule.text(*index)) : std::nullopt;
          },
          yaml_text};
}

std::optional<std::int64_t> parse_whole(std::string_view text) { return parse_all<std::int64_t>(text); }

}  // namespace glossa
