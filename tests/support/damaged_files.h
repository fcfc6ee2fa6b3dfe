#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>

#include "autograd/check.h"
#include "tests/support/temporary_folder.h"

namespace glossa::testing {

/// Returns `bytes` with some bytes changed, cut or repeated; `number` determines the change.
inline std::string mutated(std::string bytes, unsigned number) {
  std::mt19937 random(number);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t at = below(bytes.size()), length = std::min(bytes.size() - at, 1 + below(16));
  switch (number % 4) {
    case 0:
      bytes[at] = static_cast<char>(random());
      break;
    case 1:
      bytes.resize(at);
      break;
    case 2:
      bytes.insert(below(bytes.size()), bytes.substr(at, length));
      break;
    default:
      bytes.erase(at, length);
  }
  return bytes;
}

/// Checks 200 mutations of a file. `read` must accept each one, or throw an Error naming the file, within a second.
template <class Read>
void check_mutations(const std::filesystem::path& original, const Read& read) {
  CAPTURE(original);
  const std::string bytes = read_bytes(original);
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / original.filename();
  int refused = 0;
  for (unsigned number = 0; number < 200; ++number) {
    CAPTURE(number);
    write_bytes(path, mutated(bytes, number));
    const std::clock_t begin = std::clock();
    const std::string error = error_of<Error>([&] { read(path); });
    CHECK_LT(std::clock() - begin, CLOCKS_PER_SEC);
    if (!error.empty()) CHECK_NE(error.find(path.string()), std::string::npos);
    refused += error.empty() ? 0 : 1;
  }
  CHECK_GT(refused, 50);
}

}  // namespace glossa::testing
