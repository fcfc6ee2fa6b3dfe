#pragma once

#include <string>
#include <utility>

#include "base/error.h"

namespace glossa {

/// Throws an Error of kind failure.
template <class... Args>
[[noreturn]] void fail(std::string_view where, Sentence<Args...> sentence, const Args&... args) {
  throw Error(Error::Kind::failure, where, sentence, args...);
}

/// Throws an Error of kind misuse.
template <class... Args>
[[noreturn]] void misuse(std::string_view where, Sentence<Args...> sentence, const Args&... args) {
  throw Error(Error::Kind::misuse, where, sentence, args...);
}

/// Throws an Error of kind failure unless `ok`. Active in release builds.
template <class... Args>
void check(bool ok, std::string_view where, Sentence<Args...> sentence, const Args&... args) {
  if (!ok) [[unlikely]]
    fail(where, sentence, args...);
}

/// Checks a file's content, as `check` does. Errors name the file; a sentence without a hint gets the file's hint.
class FileCheck {
 public:
  FileCheck(std::string file, std::string hint) : file_(std::move(file)), hint_(std::move(hint)) {}

  template <class... Args>
  void operator()(bool ok, Sentence<Args...> sentence, const Args&... args) const {
    if (ok) [[likely]]
      return;
    Error::Parts parts = Error::Parts::of(file_, sentence, args...);
    if (parts.hint.empty()) parts.hint = hint_;
    throw Error(Error::Kind::failure, std::move(parts));
  }

 private:
  std::string file_, hint_;
};

}  // namespace glossa
