#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/corpora/data_config.h"

namespace glossa {

/// Places where a run's corpora may be. Relative names in the run's configuration start at the folder in which training
/// began. The run's file `origin.txt` records this folder, which allows evaluating and resuming the run from any
/// folder.
class CorpusPlaces {
 public:
  /// Places without a run: names are paths from the current folder.
  CorpusPlaces() = default;

  /// Places for the corpora of `run`. Runs of older versions have no record.
  explicit CorpusPlaces(const std::filesystem::path& run) : CorpusPlaces(run, record(run)) {}

  /// As the previous constructor, but with the text of the run's record, which another host may have read.
  CorpusPlaces(const std::filesystem::path& run, const std::string& record);

  /// Returns the text of a run's record; empty if there is no record.
  static std::string record(const std::filesystem::path& run);

  bool is_recorded() const { return !working_folder_.empty(); }

  /// Returns the path of the corpus `name`, or `name` itself if the corpus is found in the current folder. Tries these
  /// paths in order: the path when training began; the same path relative to the run, in case both were moved together;
  /// the path relative to the current folder. Throws an Error that lists the paths if none has the corpus. If all are
  /// the same path, returns `name` instead, and its reader reports the missing corpus.
  std::string find(const std::string& name, const DataConfig& languages) const;

  /// Returns the folder at which relative names start.
  std::filesystem::path working_folder() const;

 private:
  std::vector<std::filesystem::path> candidates(const std::filesystem::path& name) const;
  std::filesystem::path beside_run(const std::filesystem::path& then) const;

  std::filesystem::path run_;                          // absolute path of the run; empty without a run
  std::filesystem::path working_folder_, run_folder_;  // both folders at the start of training; empty if not recorded
};

/// Records in the folder `run` that the relative names of its corpora start at `working_folder`.
void record_origin(const std::filesystem::path& run, const std::filesystem::path& working_folder);

}  // namespace glossa
