#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace glossa {

/// glossa's only exception class, for user errors and for failures of the machine. Its text is `[where] expected A; got
/// B` for a bad value, or `[where] cannot ACTION: REASON` for a failed action. A hint follows if it helps.
class Error : public std::runtime_error {
 public:
  enum class Kind { misuse, failure };

  Error(Kind kind, std::string_view where, std::string_view message)
      : std::runtime_error(fmt::format("[{}] {}", where, message)), kind_(kind) {}

  Kind kind() const { return kind_; }

  /// Exit status of the command line: 2 for misuse (options, configuration), 1 for failure (files, data, numbers).
  int exit_status() const { return kind_ == Kind::misuse ? 2 : 1; }

 private:
  Kind kind_;
};

/// Throws an Error of kind failure.
template <class... Args>
[[noreturn]] void fail(std::string_view where, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(Error::Kind::failure, where, fmt::format(format, std::forward<Args>(args)...));
}

/// Throws an Error of kind misuse.
template <class... Args>
[[noreturn]] void misuse(std::string_view where, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(Error::Kind::misuse, where, fmt::format(format, std::forward<Args>(args)...));
}

/// Throws an Error of kind failure unless `ok`. Stays on in release builds.
template <class... Args>
void check(bool ok, std::string_view where, fmt::format_string<Args...> format, Args&&... args) {
  if (!ok) [[unlikely]]
    fail(where, format, std::forward<Args>(args)...);
}

}  // namespace glossa
