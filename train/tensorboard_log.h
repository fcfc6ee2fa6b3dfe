#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/appender.h"
#include "train/training_observer.h"

namespace glossa {

/// Writes all training and validation reports of one start of a run for TensorBoard. They go to a new file in the run's
/// `tensorboard` folder, which TensorBoard reads while it grows. Each event is in the file when the call that adds it
/// returns. Throws a failure that names the file if it cannot be written.
///
/// Files of earlier starts remain as they are, even if a kill left their last event incomplete. TensorBoard reads the
/// files in the order of their names, and stops reading a file at an incomplete event. The new file begins with a
/// session mark, which makes TensorBoard discard earlier events from `first_step` on. TensorBoard's data server ignores
/// the mark. It lets each new value replace the earlier values of its tag at the same and later steps.
class TensorboardLog : public TrainingObserver {
 public:
  /// Begins the file and writes the configuration. `first_step` is the first update that this start may report.
  TensorboardLog(const std::filesystem::path& run, std::int64_t first_step, std::string_view configuration);

  void training(const TrainingReport& report) override;
  void validation(const ValidationReport& report) override;

 private:
  void text(std::int64_t step, std::string_view tag, std::string_view text);

  Appender file_;
};

}  // namespace glossa
