#pragma once

#include <fmt/core.h>

#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "config/period.h"
#include "data/corpora/corpus_names.h"
#include "data/held_out.h"
#include "data/text/utf8.h"

namespace glossa {

/// A value from a YAML file, `--set` or a program, before its option gives it a type. Programs also pass numbers and
/// booleans as text.
struct GivenValue {
  enum class Kind { scalar, list, nested, nothing };

  GivenValue(std::string text = {}) : scalar(std::move(text)) {}
  GivenValue(const char* text) : scalar(text) {}
  GivenValue(std::vector<std::string> texts) : kind(Kind::list), list(std::move(texts)) {}
  GivenValue(Kind kind) : kind(kind) {}
  template <class T>
  requires std::is_arithmetic_v<T> GivenValue(T number) : scalar(fmt::format("{}", number)) {}

  Kind kind = Kind::scalar;
  std::string scalar;
  std::vector<std::string> list;

  /// Returns the elements of a list, or the parts of comma-separated text, which may be in brackets.
  std::vector<std::string> elements() const;

  /// Describes the value for error messages: the scalar in quotes (shortened), `a list`, `nested values` or `nothing`.
  std::string shown() const;
};

/// The accepted values of an option, with functions that read and write them independently of the locale.
template <class T>
struct ValueRule {
  std::string accepts;  ///< completes "expected ..."
  std::function<std::optional<T>(const GivenValue&)> read;
  std::function<std::string(const T&)> text;  ///< formats as YAML; `read` restores the value
};

/// Accepts only `true` and `false`, in this spelling.
ValueRule<bool> true_or_false();

/// A whole number in an interval, given in mathematical notation: `whole("[1, 4096]")`.
ValueRule<std::int64_t> whole(std::string_view interval);

/// Adapts `rule`, for an enumerator's index or a number, to a member of another integral type. Refuses numbers that the
/// type cannot represent.
template <class T, std::integral Number>
ValueRule<T> converted(const ValueRule<Number>& rule) {
  return {rule.accepts,
          [read = rule.read](const GivenValue& given) -> std::optional<T> {
            const std::optional<Number> value = read(given);
            if constexpr (std::integral<T>)
              if (value && !std::in_range<T>(*value)) return std::nullopt;
            return value ? std::optional(static_cast<T>(*value)) : std::nullopt;
          },
          [text = rule.text](const T& value) { return text(static_cast<Number>(value)); }};
}

/// As above, for a member of another integral type.
template <std::integral T>
ValueRule<T> whole(std::string_view interval) {
  return converted<T>(whole(interval));
}

/// Formats texts as a YAML list.
std::string in_brackets(const std::vector<std::string>& texts);

/// A list of values accepted by `rule`, as a YAML list or as comma-separated text.
template <class T>
ValueRule<std::vector<T>> list_of(std::string accepts, const ValueRule<T>& rule) {
  return {std::move(accepts),
          [read = rule.read](const GivenValue& given) -> std::optional<std::vector<T>> {
            if (given.kind == GivenValue::Kind::nested) return std::nullopt;
            std::vector<T> values;
            for (const std::string& text : given.elements()) {
              const std::optional<T> value = read(text);
              if (!value) return std::nullopt;
              values.push_back(*value);
            }
            return values;
          },
          [text = rule.text](const std::vector<T>& values) {
            std::vector<std::string> texts;
            for (const T& value : values) texts.push_back(text(value));
            return in_brackets(texts);
          }};
}

/// A list of whole numbers in an interval, as a YAML list or as comma-separated text.
ValueRule<std::vector<std::int64_t>> whole_list(std::string_view interval);

/// A finite number in an interval, which may be open: `number("[0, 1)")`.
ValueRule<double> number(std::string_view interval);

/// Adds a word to a list of accepted values: `all, output or none` and `null` become `all, output, none or null`.
std::string with_alternative(std::string accepts, const std::string& word);

/// A value accepted by `rule`, or the given word for an unset value.
template <class T>
ValueRule<std::optional<T>> or_word(std::string word, ValueRule<T> rule) {
  using Result = std::optional<std::optional<T>>;
  return {with_alternative(rule.accepts, word),
          [word, read = rule.read](const GivenValue& given) {
            if (given.kind == GivenValue::Kind::scalar && given.scalar == word) return Result(std::in_place);
            const std::optional<T> value = read(given);
            return value ? Result(value) : std::nullopt;
          },
          [word, text = rule.text](const std::optional<T>& value) { return value ? text(*value) : word; }};
}

/// A value accepted by `rule`; `null` or no value means unset.
template <class T>
ValueRule<std::optional<T>> or_null(ValueRule<T> rule) {
  ValueRule<std::optional<T>> whole = or_word("null", std::move(rule));
  whole.read = [read = whole.read](const GivenValue& given) {
    return given.kind == GivenValue::Kind::nothing ? std::optional<std::optional<T>>(std::in_place) : read(given);
  };
  return whole;
}

/// A value accepted by `rule`, or `never` (in any letter case), which means 0. `never` is written as 0, which older
/// versions can read.
template <class T>
ValueRule<T> or_never(ValueRule<T> rule) {
  rule.accepts = with_alternative(rule.accepts, "never (0)");
  rule.read = [read = rule.read](GivenValue given) {
    if (given.kind == GivenValue::Kind::scalar && utf8::lower_case(given.scalar) == "never") given.scalar = "0";
    return read(given);
  };
  return rule;
}

/// Numbers of held-out pairs for validation and testing, or `none`.
ValueRule<HeldOut> held_out();

/// Any text, described by `accepts`; empty text is refused unless `may_be_empty`.
ValueRule<std::string> text(const char* accepts, bool may_be_empty = true);

/// One or more corpus names, as a YAML list or as bracketed, comma-separated text. A single name is written without
/// brackets.
ValueRule<CorpusNames> corpus_names(const char* accepts);

/// A list of texts, as a YAML list or as comma-separated text.
ValueRule<std::vector<std::string>> text_list(const char* accepts);

/// A period in any unit, or `never`; a plain number counts updates.
ValueRule<Period> period();

/// A number within an interval, in updates or epochs; a plain number counts updates and is written without a unit.
ValueRule<Period> updates_or_epochs(std::string_view interval);

/// A limit in `unit`, given with that unit or as a plain number, or `never`.
ValueRule<Period> limit(Period::Unit unit);

/// Names in a table. They are string literals, because tables of std::string compile slowly.
using Names = std::initializer_list<const char*>;

/// One of `names`, read as its index. `choice` uses this function, which does not depend on the enum.
ValueRule<std::size_t> choice_index(Names names);

/// One of `names`, stored as text.
ValueRule<std::string> text_choice(Names names);

/// True if an enumerator has this value. In __PRETTY_FUNCTION__, an enumerator appears by name, other values as (E)7.
template <auto value>
constexpr bool is_enumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const char after_type = text[text.rfind(')') + 1];
  return after_type < '0' || after_type > '9';
}

/// Returns the number of E's enumerators, which count from 0.
template <class E, int first = 0>
constexpr std::size_t enumerator_count() {
  if constexpr (is_enumerator<static_cast<E>(first)>())
    return 1 + enumerator_count<E, first + 1>();
  else
    return 0;
}

/// An enumerator of E by its name. `names` lists the names of all enumerators, in their order. Throws if one is
/// missing.
template <class E>
ValueRule<E> choice(Names names) {
  check(names.size() == enumerator_count<E>(), "choice", "expected names for {} enumerators; got {}",
        enumerator_count<E>(), names.size());
  return converted<E>(choice_index(names));
}

/// A list of enumerators of E by their names. `names` are as for `choice`.
template <class E>
ValueRule<std::vector<E>> choices(Names names) {
  const ValueRule<E> rule = choice<E>(names);
  return list_of("a list of " + rule.accepts, rule);
}

/// One row of the option table of the struct S.
template <class S>
struct Option {
  std::string name, key;  ///< `key` includes the section, such as model.width; the table of all options sets it
  std::string accepts;
  std::string help;
  std::function<bool(S&, const GivenValue&)> set;  ///< returns false and leaves S unchanged if the value does not fit
  std::function<std::string(const S&)> text;
  bool may_be_auto = false;  ///< true: accepts the word `auto`, for a value derived from the corpus

  /// True if `set` accepts the value.
  bool takes(const GivenValue& given) const {
    S unused;
    return set(unused, given);
  }

  Option or_auto() && {
    accepts = with_alternative(accepts, "auto");
    may_be_auto = true;
    return std::move(*this);
  }
};

/// Makes a row from a name, a member, a rule and one line of help. The default is the member's initializer.
template <class S, class T>
Option<S> option(const char* name, T S::*member, const ValueRule<T>& rule, const char* help) {
  return {name,
          "",
          rule.accepts,
          help,
          [member, read = rule.read](S& s, const GivenValue& given) {
            auto value = read(given);
            if (value) s.*member = std::move(*value);
            return value.has_value();
          },
          [member, text = rule.text](const S& s) { return text(s.*member); },
          false};
}

/// Turns a row for a member struct into a row for the enclosing struct.
template <class S, class Part>
Option<S> lift(Part S::*part, const Option<Part>& row) {
  return {row.name,
          row.key,
          row.accepts,
          row.help,
          [part, set = row.set](S& s, const GivenValue& given) { return set(s.*part, given); },
          [part, text = row.text](const S& s) { return text(s.*part); },
          row.may_be_auto};
}

/// As `option` above, for a member nested in member structs at any depth.
template <class S, class Part, class Inner, class... Rest>
Option<S> option(const char* name, Part S::*part, Inner Part::*inner, const Rest&... rest) {
  return lift(part, option(name, inner, rest...));
}

/// Parses the entire text as a whole number, regardless of the locale. Empty if it is not a whole number or does not
/// fit.
std::optional<std::int64_t> parse_whole(std::string_view text);

}  // namespace glossa
