#pragma once

#include <optional>

#include "train/config/config.h"
#include "train/console/progress_bar.h"
#include "train/run_log.h"

namespace glossa {

/// Estimated seconds until the next multiple of `period`, for a run that took `seconds` from `begin` to `now`. Empty if
/// the period is `never()` or the pace is still unknown.
std::optional<double> seconds_until_due(const Period& period, const Progress& begin, const Progress& now,
                                        double seconds);

/// Bottom line of the terminal during training: progress, loss, speed, time left, and time to the next validation.
class TrainingLine {
 public:
  /// Starts at `begin`, after `seconds` of training in earlier sessions. If `validates`, the line shows the time to the
  /// next validation. Keeps a reference to `config`.
  TrainingLine(const TrainConfig& config, bool validates, const Progress& begin, double seconds);

  /// Draws the line on `bar`, after `seconds` of training in all.
  void draw(ProgressBar& bar, const Progress& now, double seconds, const TrainingReport& report) const;

 private:
  double part_done(const Progress& now, double seconds) const;

  const TrainConfig& config_;
  bool validates_;
  Progress begin_;
  double seconds_before_;
  TimeLeft time_left_;
};

}  // namespace glossa
