#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/prepared/prepared_corpus.h"

namespace glossa {

/// A folder of the cache.
struct CachedCorpus {
  std::filesystem::path folder;
  std::optional<PreparedRecord> record;  // none if it is damaged or of another version
  std::uint64_t bytes = 0;               // on disk
};

/// Prepared corpora in a folder. Runs that need the same corpus share it; while one of them prepares it, the others
/// wait. A corpus has its final name only when it is complete and on disk, so an interruption leaves nothing that could
/// be used by mistake.
class CorpusCache {
 public:
  /// Uses the folder of data.cache, completed by `places`. Throws if this name is empty and the environment names no
  /// home.
  explicit CorpusCache(const DataConfig& config, const CorpusPlaces& places = {});

  const std::filesystem::path& folder() const { return folder_; }

  /// Returns the corpus of these options, files and tokenizers (which may be empty: see prepared_key), and prepares it
  /// if it is not there. Throws if the disk is too small for it.
  std::shared_ptr<const PreparedCorpus> get(const Config& config, const CorpusPlaces& places, const Tokenizers& given);

  /// As `get`, but returns null if the corpus is not there.
  std::shared_ptr<const PreparedCorpus> existing(const Config& config, const CorpusPlaces& places,
                                                 const Tokenizers& given) const;

  /// All corpora, by name.
  std::vector<CachedCorpus> list() const;

  /// Removes all corpora, and what interrupted programs left, but not what a program is preparing. Runs that are
  /// training keep the files that they have open. Returns the number of bytes freed.
  std::uint64_t clear();

 private:
  void link(const PreparedCorpus& corpus) const;
  std::shared_ptr<const PreparedCorpus> find(const std::string& key) const;

  std::filesystem::path folder_;
};

/// True if data.train has more than data.prepare_above MiB of text.
bool is_large(const DataConfig& config, const CorpusPlaces& places);

}  // namespace glossa
