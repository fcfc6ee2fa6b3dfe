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

/// TensorBoard's data from one start of a run: a file in the run's folder `tensorboard`, which TensorBoard reads while
/// it grows. Each start has its own file, in order of name: a reader stops in a file at a record torn by a kill and
/// never rereads, but picks up new files.
///
/// So that no reader sees a step twice, files of earlier starts are cut (`cut`), and the new one begins with a session
/// mark, which makes a watching TensorBoard forget later steps.
class EventFile {
 public:
  /// Cuts the files of earlier starts to what a run resumed from `updates_done` does not write again; if it `resumes`,
  /// also drops its former final validation. An emptied file is removed. So is one with more damage than a record torn
  /// by a kill; each of these is reported in a sentence.
  static std::vector<std::string> cut(const std::filesystem::path& run, std::int64_t updates_done, bool resumes);

  /// Begins the next file. Throws a failure that names it if it cannot be written, as do all others.
  EventFile(const std::filesystem::path& run, std::int64_t updates_done, bool resumes);

  void scalars(std::int64_t step, std::span<const Scalar> scalars);

  /// Adds text that is shown as is, line by line.
  void text(std::int64_t step, std::string_view tag, std::string_view text);

  void image(std::int64_t step, std::string_view tag, const Image& image);

  /// Marks later events as the end's: a run that resumes does not repeat them.
  void end(std::int64_t step);

 private:
  void write(const std::string& event);

  Appender file_;
};

}  // namespace glossa
