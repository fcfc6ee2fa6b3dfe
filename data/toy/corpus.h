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
/// share no sentence of either language. "hello world" and "how are you" are always in train. If `pairs` is below 2 or
/// exceeds what the grammar can generate, throws a misuse error, with `where` as the message's prefix.
ToySplits toy_corpus(std::int64_t pairs, std::uint64_t seed, std::string_view where = "toy corpus");

/// Writes train, valid and test, each as .en and .hi, into `folder` (created if missing). Every file appears complete
/// or not at all. Throws, naming the file, if a file cannot be written. If a file exists with other text, throws before
/// writing any file.
void write_toy(const std::string& folder, const ToySplits& splits);

}  // namespace glossa
