#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/disk/calls.h"
#include "tests/disk/picture.h"

namespace glossa::disk {

/// What is disturbed: work that saves checkpoints in FOLDER/run.
struct Subject {
  /// What there is before, beside a run.
  Picture before;

  /// Does all the work; where there is a checkpoint, goes on from it.
  std::function<void(const std::filesystem::path& folder)> work;

  /// The update that a call tells to be saved, or 0: from this call on it must not be lost.
  std::function<std::uint64_t(const Call& call)> announced;

  /// What must be the same after any trouble and `work` once more.
  std::function<std::string(const std::filesystem::path& folder)> result;

  /// What must be the same too, unless the power was cut: records that nobody syncs.
  std::function<std::string(const std::filesystem::path& folder)> records;
};

/// What a subject does when nothing disturbs it.
struct Undisturbed {
  std::vector<Call> calls;
  std::vector<std::uint64_t> announced;  ///< before each call, and at the end: the newest update that must not be lost
  Picture left;
  std::string result, records;
};

/// Lets it work on `before`, where an update is `announced`, and watches.
Undisturbed undisturbed(const Subject& subject, const Picture& before, std::uint64_t announced = 0);

/// Four saves by a CheckpointFolder that keeps two files; the first and the last are the best.
Subject saves();

/// Training of a model of some hundred parameters: three saves, two files kept, validation and samples at each.
Subject training();

/// The log of a run that goes on from update 2: metrics and events beyond it, torn ones too, are cut off, update 3 is
/// told.
Subject log();

/// What stands in a run's folder.
struct Standing {
  std::string complaint;                         ///< about what must never be, or empty
  std::uint64_t newest = 0, last = 0, best = 0;  ///< updates: of the checkpoint to go on from, and behind the links
};

/// Reads a run as --resume and `translate` do. Complains about a damaged checkpoint, about a link that does not lead to
/// a whole one, about a checkpoint of another update than its name says, and about `best` being newer than `last`.
Standing standing(const std::filesystem::path& run);

/// Why what was `announced` is not kept; empty if it is.
std::string complaint(const Standing& standing, std::uint64_t announced);

}  // namespace glossa::disk
