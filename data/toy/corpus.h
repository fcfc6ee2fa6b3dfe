#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// An English sentence and its only Hindi translation. Both are lower-case words with single spaces.
struct ToyPair {
  std::string english, hindi;
  bool operator==(const ToyPair&) const = default;
};

struct ToySplits {
  std::vector<ToyPair> train, valid, test;
};

/// Draws `pairs` distinct pairs of the toy language at random; the draw and the order depend on `seed`. About 96 % of
/// the pairs are for training, 2 % for validation and 2 % for testing. The split of a pair depends only on a hash of
/// its Hindi sentence: no sentence of either language is in two splits. "hello world" and "how are you" are always in
/// train. Throws a misuse error at `where` if `pairs` is below 2 or exceeds the number of pairs that the grammar can
/// generate.
ToySplits toy_corpus(std::int64_t pairs, std::uint64_t seed, std::string_view where = "toy corpus");

/// Writes train, valid and test, each as .en and .hi, into `folder` (created if missing). Every file appears complete
/// or not at all. Throws, naming the file, if a file cannot be written. If a file exists with other text, throws before
/// writing any file.
void write_toy(const std::string& folder, const ToySplits& splits);

}  // namespace glossa
