#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/prepared/prepared_corpus.h"

namespace glossa {

/// A folder in the cache.
struct CachedCorpus {
  std::filesystem::path folder;
  std::optional<PreparedRecord> record;  // empty if the record is damaged or of another version
  std::uint64_t bytes = 0;               // size on disk
};

/// A folder of prepared corpora, which runs share. While one run prepares a corpus, other runs that need that corpus
/// wait. A corpus gets its final name only when it is complete and on disk. An interruption therefore leaves nothing
/// that could be used by mistake.
class CorpusCache {
 public:
  /// Uses the folder data.cache; `places` resolves a relative path. Throws if data.cache is empty and the environment
  /// defines no home folder.
  explicit CorpusCache(const DataConfig& config, const CorpusPlaces& places = {});

  const std::filesystem::path& folder() const { return folder_; }

  /// Returns the corpus for these options, files and tokenizers, and prepares it if it does not exist. `given` may be
  /// empty (see prepared_key). Throws if the disk is too small.
  std::shared_ptr<const PreparedCorpus> get(const Config& config, const CorpusPlaces& places, const Tokenizers& given);

  /// As `get`, but returns null if the corpus does not exist.
  std::shared_ptr<const PreparedCorpus> existing(const Config& config, const CorpusPlaces& places,
                                                 const Tokenizers& given) const;

  /// Returns all corpora, sorted by name.
  std::vector<CachedCorpus> list() const;

  /// Removes all corpora and the remains of interrupted programs, but no corpus that a program is still preparing. Runs
  /// that are training keep the files that they have open. Returns the number of bytes freed.
  std::uint64_t clear();

 private:
  void link(const PreparedCorpus& corpus) const;
  std::shared_ptr<const PreparedCorpus> find(const std::string& key) const;

  std::filesystem::path folder_;
};

/// True if data.train has more than data.prepare_above MiB of text.
bool is_large(const DataConfig& config, const CorpusPlaces& places);

}  // namespace glossa
