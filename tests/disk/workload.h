#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/disk/calls.h"
#include "tests/disk/snapshot.h"

namespace glossa::disk {

/// Work that tests disturb: it saves checkpoints in FOLDER/run.
struct Workload {
  /// The initial contents of the folder, besides a run.
  Snapshot before;

  /// Does all the work; resumes if a checkpoint exists.
  std::function<void(const std::filesystem::path& folder)> work;

  /// The update that a call announces as saved, or 0. From this call on, that update must not be lost.
  std::function<std::uint64_t(const Call& call)> announced;

  /// Must be the same as undisturbed after any disturbance and another `work`.
  std::function<std::string(const std::filesystem::path& folder)> result;

  /// Must be the same as well, except after a power cut: records that are not synced.
  std::function<std::string(const std::filesystem::path& folder)> records;
};

/// Result of an undisturbed workload.
struct CleanRun {
  std::vector<Call> calls;
  std::vector<std::uint64_t> announced;  ///< newest update that must not be lost, before each call and at the end
  Snapshot folder;
  std::string result, records;
};

/// Runs a workload on the contents `before`, when update `announced` must not be lost, and records its calls.
CleanRun run_cleanly(const Workload& workload, const Snapshot& before, std::uint64_t announced = 0);

/// Four saves by a CheckpointFolder that keeps two files; the first and the last one are each a new best.
Workload saves();

/// Training of a model with some hundred parameters: three saves with validation and samples, of which two files are
/// kept.
Workload training();

/// The log of a run resumed from update 2, after metrics and events that end torn: reports update 3.
Workload log();

/// The state of a run's folder.
struct RunState {
  std::string complaint;                         ///< about an impossible state, or empty
  std::uint64_t newest = 0, last = 0, best = 0;  ///< updates of the checkpoint to resume from and of the links
};

/// Reads a run as --resume and `translate` do. Complains about a damaged or misnamed checkpoint, a link that does not
/// lead to a complete checkpoint, and a `best` that is newer than `last`.
RunState run_state(const std::filesystem::path& run);

/// States why the run has lost update `announced`; empty if it has not.
std::string complaint(const RunState& run_state, std::uint64_t announced);

}  // namespace glossa::disk
