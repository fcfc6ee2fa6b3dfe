#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>

#include "base/check.h"
#include "tests/support/temporary_folder.h"

namespace glossa::testing {

/// Number of mutations of each input to try: the environment variable GLOSSA_MUTATIONS, or `usual` if unset.
inline unsigned mutations(unsigned usual) {
  const char* set = std::getenv("GLOSSA_MUTATIONS");
  return set == nullptr ? usual : static_cast<unsigned>(std::stoul(set));
}

/// Returns `bytes` after up to four changes: a byte replaced, bytes cut or repeated, a character with a meaning in many
/// formats inserted, or the end cut off. `number` determines the changes.
inline std::string mutated(std::string bytes, unsigned number) {
  constexpr std::string_view telling{"\0\xFF\r\n\"\\%{}[]<>&:,09-", 19};
  std::mt19937 random(number);
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); };
  for (std::size_t changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = below(bytes.size()), length = 1 + below(16);
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.erase(at, length);
        break;
      case 2:
        bytes.insert(below(bytes.size()), bytes.substr(at, length));
        break;
      case 3:
        bytes.insert(at, 1 + below(4), telling[below(telling.size())]);
        break;
      default:
        if (below(4) == 0) bytes.resize(at);
    }
  }
  return bytes;
}

/// Checks mutations of a file. Within a second, `read` must accept each one or throw an Error that begins with the path
/// or the folder. Returns the share of mutations refused.
template <class Read>
double refused_mutations(const std::filesystem::path& path, const Read& read) {
  CAPTURE(path);
  const std::string whole = read_bytes(path);
  double refused = 0, all = 0;
  for (unsigned number = 0; number < mutations(100); ++number) {
    CAPTURE(number);
    const std::string bytes = mutated(whole, number);
    if (bytes == whole) continue;
    ++all;
    write_bytes(path, bytes);
    const std::clock_t begin = std::clock();
    const std::string error = error_of<Error>([&] { read(path); });
    CHECK_LT(std::clock() - begin, CLOCKS_PER_SEC);
    if (error.empty()) continue;
    CHECK_MESSAGE(error.starts_with("[" + path.parent_path().string()), error);
    ++refused;
  }
  write_bytes(path, whole);
  return refused / all;
}

}  // namespace glossa::testing
