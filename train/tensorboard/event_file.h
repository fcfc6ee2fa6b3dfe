#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "train/console/appender.h"
#include "train/tensorboard/event.h"

namespace glossa {

/// TensorBoard data from one start of a run: a file in the run's `tensorboard` folder, which TensorBoard reads while
/// the file grows. Each start has its own file. Readers find new files, but they stop forever at a record that a kill
/// left incomplete (torn). File names sort in order of the starts.
///
/// `cut` truncates the files of earlier starts, so that readers do not see a step twice. The file of a resumed run
/// begins with a session mark, so that a running TensorBoard forgets the steps that were cut.
class EventFile {
 public:
  /// Prepares the files of earlier starts for a start after `updates_done` updates: removes all events that the run
  /// will write again. If the run `resumes`, also removes the events added after a call of `end`. Removes files that
  /// become empty. A damaged file is cut at the damage. Returns one sentence for each damaged file, except if its only
  /// damage is a torn record at the end.
  static std::vector<std::string> cut(const std::filesystem::path& run, std::int64_t updates_done, bool resumes);

  /// Begins the next file. Throws a failure that names the file if it cannot be written, as all members do.
  EventFile(const std::filesystem::path& run, std::int64_t updates_done, bool resumes);

  void scalars(std::int64_t step, std::span<const Scalar> scalars);

  /// Adds text that TensorBoard shows verbatim, line by line.
  void text(std::int64_t step, std::string_view tag, std::string_view text);

  /// Marks the events added after this call as part of the run's end. A resumed run removes them (`cut`).
  void end(std::int64_t step);

 private:
  void write(const std::string& event);

  Appender file_;
};

}  // namespace glossa
