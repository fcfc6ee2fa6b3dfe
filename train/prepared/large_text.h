#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "data/corpora/datasets.h"
#include "data/held_out.h"
#include "data/prepared/spooled_text.h"
#include "train/config/auto_options.h"

namespace glossa {

/// The text of data.train in temporary files, as read_corpora would return it: without duplicates if
/// data.duplicates is `drop`, and without pairs held out. Memory is 12 bytes a pair, and up to 8 more while pairs are
/// dropped and held out.
class LargeText {
 public:
  /// Reads the text into files of `folder`. Throws as read_corpora.
  LargeText(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places,
            const std::filesystem::path& folder);

  std::size_t size() const { return kept_.size(); }

  /// At most `count` pairs, chosen by a hash, with the report of all text. `with_first` adds the first pair.
  ParallelCorpus sample(std::size_t count, bool with_first = false) const;

  /// Content hash of the whole text, as text_fingerprint.
  std::uint64_t fingerprint() const { return fingerprint_; }

  /// data.split as applied, and the pairs that it holds out; without a sample.
  const PreparedTraining& held_out() const { return held_out_; }

  /// Number of pairs and of different characters.
  CorpusSize measured() const;

  /// ParallelCorpus::hash of each pair.
  std::span<const std::uint64_t> hashes() const { return hashes_; }

  /// Calls `use(block, first)` with successive pairs, which begin with pair `first`.
  void for_each_block(const std::function<void(const ParallelCorpus& block, std::size_t first)>& use) const;

 private:
  void drop_repeated(bool drops);
  void hold_out(const DataConfig& config);
  void keep(const std::vector<bool>& leaves);
  void append(ParallelCorpus& to, std::size_t pair) const;

  SpooledText text_;
  ParallelCorpus whole_;               // names, parts and the report; without pairs
  std::vector<std::uint32_t> kept_;    // pairs of the files
  std::vector<std::uint64_t> hashes_;  // of these pairs
  std::uint64_t fingerprint_ = 0;
  PreparedTraining held_out_;
};

/// Reads the text of data.train and returns the content hash of its pairs, with those that training drops.
std::uint64_t text_fingerprint(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places);

}  // namespace glossa
