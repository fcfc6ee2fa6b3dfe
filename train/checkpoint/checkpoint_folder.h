#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "train/checkpoint/checkpoint_file.h"
#include "train/checkpoint/run_lock.h"

namespace glossa {

/// A checkpoint to resume from.
struct FoundCheckpoint {
  std::uint64_t update = 0;
  CheckpointReader reader;
  std::vector<std::string> refused;  ///< one error text for each newer, invalid file
};

/// Checkpoints of a run, RUN/checkpoints/: one file `update-00000037.ckpt` for each checkpoint kept, and the symbolic
/// links `last` and `best`. A file is written before `last` changes, and `last` changes before `best`. Only the run's
/// trainer creates a CheckpointFolder; readers use the free functions below.
class CheckpointFolder {
 public:
  /// Takes the run's lock, creates the folder if needed, removes the temporary files of trainers that died, and makes
  /// their finished files durable. `keep` is the number of newest files to keep, at least 2 so that one survives any
  /// damage to the other.
  CheckpointFolder(const std::filesystem::path& run, std::size_t keep);

  /// Finds the newest valid checkpoint; empty if there are no files. Throws an Error if files exist but none is valid:
  /// a run is never silently restarted.
  std::optional<FoundCheckpoint> newest_valid();

  /// Writes the checkpoint of `update`; once it is durable, points `last` (and `best` if `is_best`) to it, then removes
  /// old files. Never removes the newest `keep` valid files or the target of `best`. Returns the new file's path.
  /// Throws as check_in_place.
  std::filesystem::path save(std::uint64_t update, const CheckpointWriter& writer, bool is_best);

  /// Points the link `last` to the checkpoint of `update` and, if the argument `best` is given, the link `best` to the
  /// checkpoint of that update. `save` does this; a resumed run repeats it, because the earlier process may have been
  /// killed after writing the file but before changing the links.
  void point_links(std::uint64_t update, std::optional<std::uint64_t> best = {}) const;

  /// Removes the link `best`, for a run in which no validation has chosen a best checkpoint.
  void forget_best() const;

  bool has(std::uint64_t update) const;

  /// As RunLock::check_in_place.
  void check_in_place() const { lock_.check_in_place(); }

 private:
  void prune(std::uint64_t newest) const;

  RunLock lock_;
  std::filesystem::path folder_;
  std::size_t keep_;
  std::set<std::uint64_t> refused_;  // found damaged: left for inspection, never counted as kept
};

/// The newest valid checkpoint in RUN/checkpoints/, as CheckpointFolder::newest_valid, without a lock.
std::optional<FoundCheckpoint> newest_valid_checkpoint(const std::filesystem::path& run);

/// Files that `choice` names in a run: `best`, `last`, a checkpoint's update number, or `average:N` for the newest N.
/// An empty `choice` means `best` or, if no best exists, `last`. Throws a misuse error for any other choice, and an
/// Error if the run has no such files, or fewer than N.
std::vector<std::filesystem::path> chosen_checkpoints(const std::filesystem::path& run, const std::string& choice = {});

/// Update number of the checkpoint that a run's link `best` or `last` points to; empty if the link does not exist.
std::optional<std::uint64_t> linked_update(const std::filesystem::path& run, const char* link);

}  // namespace glossa
