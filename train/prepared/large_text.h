#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "config/auto_options.h"
#include "data/corpora/datasets.h"
#include "data/held_out.h"
#include "data/prepared/spooled_text.h"

namespace glossa {

/// The text of data.train in temporary files, as read_corpora would return it: without held-out pairs and, if
/// data.duplicates is `drop`, without duplicates. Needs 12 bytes of memory per pair, plus up to 8 bytes while pairs are
/// dropped and held out.
class LargeText {
 public:
  /// Reads the text into files in `folder`. Throws as read_corpora does.
  LargeText(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places,
            const std::filesystem::path& folder);

  std::size_t size() const { return kept_.size(); }

  /// Returns at most `count` pairs, chosen by a hash, with the report of the whole text. `with_first` adds the first
  /// pair.
  ParallelCorpus sample(std::size_t count, bool with_first = false) const;

  /// Content hash of the whole text, as text_fingerprint returns it.
  std::uint64_t fingerprint() const { return fingerprint_; }

  /// The applied data.split and the pairs that it holds out; has no sample.
  const PreparedTraining& held_out() const { return held_out_; }

  /// Returns the numbers of pairs and of distinct characters.
  CorpusSize measured() const;

  /// Returns ParallelCorpus::hash of each pair.
  std::span<const std::uint64_t> hashes() const { return hashes_; }

  /// Calls `use(block, first)` with successive blocks of pairs, where `first` is the index of the block's first pair.
  void for_each_block(const std::function<void(const ParallelCorpus& block, std::size_t first)>& use) const;

 private:
  void drop_repeated(bool drops);
  void hold_out(const DataConfig& config);
  void keep(const std::vector<bool>& leaves);
  void append(ParallelCorpus& to, std::size_t pair) const;

  SpooledText text_;
  ParallelCorpus whole_;               // names, parts and the report, but no pairs
  std::vector<std::uint32_t> kept_;    // indices of the pairs kept from the files
  std::vector<std::uint64_t> hashes_;  // hashes of the kept pairs
  std::uint64_t fingerprint_ = 0;
  PreparedTraining held_out_;
};

/// Reads the text of data.train and returns the content hash of its pairs, including those that training drops.
std::uint64_t text_fingerprint(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places);

}  // namespace glossa
