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

/// `pairs` distinct pairs of the toy language, drawn and ordered by `seed`. About 96 % are for training, 2 % for
/// validation, 2 % for testing; a hash of the Hindi sentence, which no seed changes, decides where a pair lands, so the
/// splits share no sentence of either language. "hello world" and "how are you" are always in train.
/// Error (misuse), at `where`, when `pairs` is less than 2 or more than the grammar yields.
ToySplits toy_corpus(std::int64_t pairs, std::uint64_t seed, std::string_view where = "toy corpus");

/// Writes train, valid and test, each as .en and .hi, into `folder` (made if missing). Every file appears whole or not
/// at all; an Error names the file that could not be written, or that is there with another text: then none is.
void write_toy(const std::string& folder, const ToySplits& splits);

}  // namespace glossa
