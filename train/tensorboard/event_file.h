#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "train/console/appender.h"
#include "train/tensorboard/event.h"
#include "train/tensorboard/image.h"

namespace glossa {

/// TensorBoard data from one start of a run: a file in the run's `tensorboard` folder, which TensorBoard reads while it
/// grows. Each start has its own file, because a reader never gets past a record torn by a kill, but picks up new
/// files. File names sort in order of the starts.
///
/// To keep readers from seeing a step twice, `cut` truncates the files of earlier starts. The new file begins with a
/// session mark, which makes a running TensorBoard forget the steps that were cut.
class EventFile {
 public:
  /// Cuts from the files of earlier starts all events that a run resumed from `updates_done` will write again. If the
  /// run `resumes`, also drops the events added after a call of `end`. Removes files that become empty. Returns one
  /// sentence per file with more damage than a record torn by a kill; such a file is cut at the damage.
  static std::vector<std::string> cut(const std::filesystem::path& run, std::int64_t updates_done, bool resumes);

  /// Begins the next file. Like all members, throws a failure naming the file if it cannot be written.
  EventFile(const std::filesystem::path& run, std::int64_t updates_done, bool resumes);

  void scalars(std::int64_t step, std::span<const Scalar> scalars);

  /// Adds text that TensorBoard shows verbatim, line by line.
  void text(std::int64_t step, std::string_view tag, std::string_view text);

  void image(std::int64_t step, std::string_view tag, const Image& image);

  /// Marks the events added after this call as part of the run's end, which a resumed run does not repeat.
  void end(std::int64_t step);

 private:
  void write(const std::string& event);

  Appender file_;
};

}  // namespace glossa
