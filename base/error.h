#pragma once

#include <fmt/core.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace glossa {

/// False for a format string that begins with "expected " but has neither "; got B" nor "; not found".
constexpr bool is_complete_sentence(std::string_view format) {
  const std::string_view message = format.substr(0, format.find(". Hint: "));
  return !message.starts_with("expected ") || message.find("; got ") != message.npos ||
         message.ends_with("; not found");
}

/// Format string of an error's sentence: "expected A; got B", "expected A; not found" or "cannot ACTION: REASON", each
/// optionally followed by ". Hint: C". Only the literal is split at these words; an argument may contain them.
template <class... Args>
struct BasicSentence {
  template <class Literal>
  consteval BasicSentence(const Literal& literal) : format(literal) {
    if (!is_complete_sentence(literal)) throw "expected `; got` or `; not found` after `expected`";
  }
  fmt::format_string<Args...> format;
};
template <class... Args>
using Sentence = BasicSentence<std::type_identity_t<Args>...>;

/// glossa's only exception class, for user errors and for failures of the machine. Its text, `what()`, combines its
/// parts. Programs that embed glossa can compose another text from the parts.
class Error : public std::runtime_error {
 public:
  enum class Kind { misuse, failure };

  /// Parts of the text: `[where] expected A; got B. Hint: C` for a bad value, `[where] cannot ACTION: REASON. Hint: C`
  /// for a failed action.
  struct Parts {
    std::string where;          ///< an option, a file and line, an argument or an op
    std::string key = {};       ///< the option with the bad value, if `where` is the file or argument that sets it
    std::string expected = {};  ///< A
    std::optional<std::string> got = {};  ///< B; if absent, the text is `expected A; not found`
    std::string problem = {};             ///< the failed action and its reason, instead of `expected` and `got`
    std::string hint = {};                ///< C, a remedy; may be empty

    /// Formats a sentence's arguments, each into the part that contains its {}.
    template <class... Args>
    static Parts of(std::string_view where, Sentence<Args...> sentence, const Args&... args) {
      const fmt::string_view format = sentence.format;
      return of_format(where, {format.data(), format.size()}, fmt::make_format_args(args...));
    }

    /// The text without `where` and `hint`.
    std::string message() const;

    /// A copy with another hint.
    Parts with_hint(std::string other) const;

   private:
    static Parts of_format(std::string_view where, std::string_view sentence, fmt::format_args args);
  };

  Error(Kind kind, Parts parts);

  template <class... Args>
  Error(Kind kind, std::string_view where, Sentence<Args...> sentence, const Args&... args)
      : Error(kind, Parts::of(where, sentence, args...)) {}

  Kind kind() const { return kind_; }

  /// Exit status of the command line: 2 for misuse (options, configuration), 1 for failure (files, data, numbers).
  int exit_status() const { return kind_ == Kind::misuse ? 2 : 1; }

  const Parts& parts() const { return *parts_; }

 private:
  Kind kind_;
  std::shared_ptr<const Parts> parts_;  // shared, so that copies cannot fail
};

}  // namespace glossa
