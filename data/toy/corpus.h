#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// An English sentence and its one Hindi translation: lower-case words with single spaces.
struct ToyPair {
  std::string english, hindi;
  bool operator==(const ToyPair&) const = default;
};

struct ToySplits {
  std::vector<ToyPair> train, valid, test;
};

/// Draws `pairs` distinct pairs of the toy language, in an order set by `seed`. About 96 % are for training, 2 % for
/// validation, 2 % for testing. A hash of the Hindi sentence, independent of the seed, picks the split, so the splits
/// share no sentence of either language. "hello world" and "how are you" are always in train. Error (misuse), at
/// `where`, if `pairs` is below 2 or above what the grammar yields.
ToySplits toy_corpus(std::int64_t pairs, std::uint64_t seed, std::string_view where = "toy corpus");

/// Writes train, valid and test, each as .en and .hi, into `folder` (created if missing). Every file appears whole or
/// not at all. An Error names a file that cannot be written, or that exists with other text: then none is written.
void write_toy(const std::string& folder, const ToySplits& splits);

}  // namespace glossa
