#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/disk/calls.h"
#include "tests/disk/snapshot.h"

namespace glossa::disk {

/// Work to disturb: it saves checkpoints in FOLDER/run.
struct Workload {
  /// The initial state, besides a run.
  Snapshot before;

  /// Does all the work; resumes if there is a checkpoint.
  std::function<void(const std::filesystem::path& folder)> work;

  /// The update that a call announces as saved, or 0: from this call on it must not be lost.
  std::function<std::uint64_t(const Call& call)> announced;

  /// Must be equal after any trouble and another `work`.
  std::function<std::string(const std::filesystem::path& folder)> result;

  /// Must be equal as well, unless the power was cut: records that nobody syncs.
  std::function<std::string(const std::filesystem::path& folder)> records;
};

/// A workload's undisturbed run.
struct CleanRun {
  std::vector<Call> calls;
  std::vector<std::uint64_t> announced;  ///< before each call, and at the end: the newest update that must not be lost
  Snapshot folder;
  std::string result, records;
};

/// Runs it on `before`, with an update `announced`, and watches.
CleanRun run_cleanly(const Workload& workload, const Snapshot& before, std::uint64_t announced = 0);

/// Four saves by a CheckpointFolder that keeps two files; the first and the last are the best.
Workload saves();

/// Training of a model of some hundred parameters: three saves, two files kept, validation and samples at each.
Workload training();

/// The log of a run resumed from update 2: later metrics and events, even torn ones, are cut off, and update 3 is
/// reported.
Workload log();

/// The state of a run's folder.
struct RunState {
  std::string complaint;                         ///< about impossible states, or empty
  std::uint64_t newest = 0, last = 0, best = 0;  ///< updates: of the checkpoint to resume from, and behind the links
};

/// Reads a run like --resume and `translate`. Complains about a damaged checkpoint, a link that does not lead to a
/// complete one, a checkpoint whose name has another update, and `best` being newer than `last`.
RunState run_state(const std::filesystem::path& run);

/// The reason why `announced` is not kept; empty if it is.
std::string complaint(const RunState& run_state, std::uint64_t announced);

}  // namespace glossa::disk
