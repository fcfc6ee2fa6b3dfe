#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "train/console/appender.h"
#include "train/tensorboard/event.h"
#include "train/tensorboard/picture.h"

namespace glossa {

/// What one start of a run tells TensorBoard: a file in the run's folder `tensorboard`, which TensorBoard reads while
/// it grows. Each start has a file of its own, in the order of their names: a reader stops in a file at a record that a
/// kill has torn, and never reads again what it has read, but takes up what is new.
///
/// So that no reader sees a step twice, the files of earlier starts are cut (`cut`), and the new one begins with the
/// mark of a session, by which a TensorBoard that was looking on forgets what it had seen beyond.
class EventFile {
 public:
  /// Shortens the files of the starts before to what a run that goes on from `updates_done` does not write again; where
  /// it `goes_on` that is the validation at its end, too, which is none any more. A file of which nothing is left goes.
  /// Gives a sentence for each file of which more was damaged than a record that a kill has torn; that goes as well.
  static std::vector<std::string> cut(const std::filesystem::path& run, std::int64_t updates_done, bool goes_on);

  /// Begins the next file. Throws a failure that names it where it cannot be written, as all of them do.
  EventFile(const std::filesystem::path& run, std::int64_t updates_done, bool goes_on);

  void scalars(std::int64_t step, std::span<const Scalar> scalars);

  /// Text that is shown as it is, line by line.
  void text(std::int64_t step, std::string_view tag, std::string_view text);

  void picture(std::int64_t step, std::string_view tag, const Picture& picture);

  /// What follows tells of the end, and of nothing that a run that goes on comes by.
  void end(std::int64_t step);

 private:
  void write(const std::string& event);

  Appender file_;
};

}  // namespace glossa
