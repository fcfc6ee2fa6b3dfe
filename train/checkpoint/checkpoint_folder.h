#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "train/checkpoint/checkpoint_file.h"

namespace glossa {

/// The lock of a run, RUN/.lock: one trainer at a time. The kernel releases it when the process ends, however it ends.
class RunLock {
 public:
  /// Creates the folder if need be and takes the lock; a second trainer gets an Error that names the holder.
  explicit RunLock(const std::filesystem::path& run);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// Whether a trainer has the run now. Asks without taking the lock: no trainer that starts meanwhile is turned away.
bool has_trainer(const std::filesystem::path& run);

/// The checkpoint that a run goes on from.
struct FoundCheckpoint {
  std::uint64_t update = 0;
  CheckpointReader reader;
  std::vector<std::string> refused;  ///< one error text for each newer file that is not valid
};

/// The checkpoints of a run, RUN/checkpoints/: one file `update-00000037.ckpt` for each update kept and the symbolic
/// links `last` and `best`, moved in this order. Made by the one trainer of the run; readers use the free functions
/// below.
class CheckpointFolder {
 public:
  /// Takes the run's lock, creates the folder if need be, removes temporary files of dead writers and makes durable
  /// what they finished. `keep` is the number of newest files that stay, at least 2 so that one is whole whatever
  /// happens to the other.
  CheckpointFolder(const std::filesystem::path& run, std::size_t keep);

  /// The newest valid checkpoint; nothing if there is no file at all. Files of which none is valid are an Error: a run
  /// is not silently started afresh.
  std::optional<FoundCheckpoint> newest_valid();

  /// Writes the checkpoint of `update`; when it is durable, points `last` (and `best`) to it, then removes old files.
  /// Neither the newest `keep` valid ones nor the one that `best` names are ever removed. Returns its path.
  std::filesystem::path save(std::uint64_t update, const CheckpointWriter& writer, bool is_best);

  /// Points `last` to the checkpoint of `update`, and `best` to that of `best` where one is given. `save` does it; a
  /// resumed run does it again, because a kill may have come between the file and its links.
  void point_links(std::uint64_t update, std::optional<std::uint64_t> best = {}) const;

  /// Removes `best`: no validation has said which it is.
  void forget_best() const;

  bool has(std::uint64_t update) const;

 private:
  void prune(std::uint64_t newest) const;

  RunLock lock_;
  std::filesystem::path folder_;
  std::size_t keep_;
  std::set<std::uint64_t> refused_;  // found damaged: left for a person to look at, never counted as kept
};

/// The newest valid checkpoint in RUN/checkpoints/, as CheckpointFolder::newest_valid, without a lock.
std::optional<FoundCheckpoint> newest_valid_checkpoint(const std::filesystem::path& run);

/// The files that `choice` names in a run: `best`, `last`, the update of one, or `average:N`, the newest N; empty text
/// is the best, or the last where there is no best. Throws misuse for anything else, and an Error where there are none.
std::vector<std::filesystem::path> chosen_checkpoints(const std::filesystem::path& run, const std::string& choice = {});

/// The update that the link `best` or `last` of a run leads to; nothing if there is no such link.
std::optional<std::uint64_t> linked_update(const std::filesystem::path& run, const char* link);

}  // namespace glossa
