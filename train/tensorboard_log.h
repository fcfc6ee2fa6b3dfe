#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "train/tensorboard/event_file.h"
#include "train/training_observer.h"

namespace glossa {

/// Writes all training and validation reports of one start of a run for TensorBoard.
class TensorboardLog : public TrainingObserver {
 public:
  /// Begins a file in the run's folder, with the configuration if the run `resumes` or is new. Call EventFile::cut
  /// first.
  TensorboardLog(const std::filesystem::path& run, std::int64_t updates_done, bool resumes,
                 std::string_view configuration);

  void training(const TrainingReport& report) override;
  void validation(const ValidationReport& report) override;

 private:
  EventFile file_;
};

}  // namespace glossa
