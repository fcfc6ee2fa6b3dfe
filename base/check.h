#pragma once

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

/// Throws an Error of kind failure unless `ok`. Stays on in release builds.
template <class... Args>
void check(bool ok, std::string_view where, Sentence<Args...> sentence, const Args&... args) {
  if (!ok) [[unlikely]]
    fail(where, sentence, args...);
}

}  // namespace glossa
