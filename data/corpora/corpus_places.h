#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/corpora/data_config.h"

namespace glossa {

/// Places where the corpora of a run may lie. Relative names in a run's configuration begin at the folder in which
/// training began. The run's file `origin.txt` records it, so that a run can be evaluated and resumed from any folder.
class CorpusPlaces {
 public:
  /// Corpora of no run: their names are paths from the current folder.
  CorpusPlaces() = default;

  /// Corpora of a run. Runs of older versions have no record.
  explicit CorpusPlaces(const std::filesystem::path& run) : CorpusPlaces(run, record(run)) {}

  /// As above, with the text of the run's record, which another host may have read.
  CorpusPlaces(const std::filesystem::path& run, const std::string& record);

  /// Returns the text of a run's record, or nothing.
  static std::string record(const std::filesystem::path& run);

  bool is_recorded() const { return !working_folder_.empty(); }

  /// Returns the path of the corpus `name`: `name` itself if this is the current folder's. The first of these places
  /// that has the corpus counts: its place when training began; its place relative to the run at that time, if both
  /// were moved together; its place relative to the current folder. Throws an Error that lists them if none has it.
  std::string find(const std::string& name, const DataConfig& languages) const;

  /// Returns the folder at which relative names begin.
  std::filesystem::path working_folder() const;

 private:
  std::vector<std::filesystem::path> candidates(const std::filesystem::path& name) const;
  std::filesystem::path beside_run(const std::filesystem::path& then) const;

  std::filesystem::path run_;                          // absolute; empty if there is no run
  std::filesystem::path working_folder_, run_folder_;  // when training began; empty if not recorded
};

/// Writes the record of the run in folder `run`, whose relative names begin at `working_folder`.
void record_origin(const std::filesystem::path& run, const std::filesystem::path& working_folder);

}  // namespace glossa
