#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/check.h"
#include "train/checkpoint/checkpoint_file.h"
#include "train/checkpoint/run_lock.h"

namespace glossa {

/// A checkpoint to resume from.
struct FoundCheckpoint {
  std::uint64_t update = 0;
  CheckpointReader reader;
  std::vector<Error> refused;  ///< errors of newer, invalid files, without hints
};

/// The folder of a run's checkpoints, RUN/checkpoints/. It has one file for each checkpoint kept, such as
/// `update-00000037.ckpt`, and the symbolic links `last` and `best`. A file is written before `last` changes, and
/// `last` changes before `best`. Only the run's trainer creates a CheckpointFolder; readers use the free functions
/// below.
class CheckpointFolder {
 public:
  /// Takes the run's lock and creates the folder if needed. Removes temporary files of killed trainers, and makes their
  /// finished files durable. `keep` is the number of newest files to keep. It must be at least 2; one file then
  /// survives if another is damaged.
  CheckpointFolder(const std::filesystem::path& run, std::size_t keep);

  /// Returns the number of checkpoints in the folder.
  std::size_t count() const;

  /// Finds the newest valid checkpoint. Returns an empty value if there are no files. If none of the files is valid,
  /// throws an Error: a run must never silently restart.
  std::optional<FoundCheckpoint> newest_valid();

  /// Writes the checkpoint of `update`. Once the file is durable, points `last` to it and, if `is_best`, also `best`.
  /// Then removes old files, but never the newest `keep` valid files or the target of `best`. Returns the new file's
  /// path. Throws as check_in_place does.
  std::filesystem::path save(std::uint64_t update, const CheckpointWriter& writer, bool is_best);

  /// Points the link `last` to the checkpoint of `update`. If `best` is given, points the link `best` to the checkpoint
  /// of update `best`. `save` calls this function. A resumed run calls it again: the earlier process may have been
  /// killed between writing the file and changing the links.
  void point_links(std::uint64_t update, std::optional<std::uint64_t> best = {}) const;

  /// Removes the link `best`. Call this if no validation of the run has chosen a best checkpoint.
  void forget_best() const;

  bool has(std::uint64_t update) const;

  /// Forwards to RunLock::check_in_place.
  void check_in_place() const { lock_.check_in_place(); }

 private:
  void prune(std::uint64_t newest) const;

  RunLock lock_;
  std::filesystem::path folder_;
  std::size_t keep_;
  std::set<std::uint64_t> refused_;  // updates of damaged files, which stay for inspection and do not count in `keep`
};

/// As CheckpointFolder::newest_valid, but for readers: takes no lock.
std::optional<FoundCheckpoint> newest_valid_checkpoint(const std::filesystem::path& run);

/// Returns the files of a run that `choice` selects: `best`, `last`, the update number of a checkpoint, or `average:N`
/// for the newest N. An empty `choice` selects `best` or, if the run has no best, `last`. Throws a misuse error for any
/// other choice. Throws an Error if a selected file does not exist, or if the run has fewer than N checkpoints.
std::vector<std::filesystem::path> chosen_checkpoints(const std::filesystem::path& run, const std::string& choice = {});

/// Returns the newest checkpoints of a run, newest first: `count` of them, or all if there are fewer.
std::vector<std::filesystem::path> newest_checkpoints(const std::filesystem::path& run, std::size_t count);

/// Returns the update number of the checkpoint that a run's `link` (`best` or `last`) points to. Empty if the link does
/// not exist.
std::optional<std::uint64_t> linked_update(const std::filesystem::path& run, const char* link);

}  // namespace glossa
