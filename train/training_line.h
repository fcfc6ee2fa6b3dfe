#pragma once

#include <optional>

#include "train/config/config.h"
#include "train/console/progress_bar.h"
#include "train/run_log.h"

namespace glossa {

/// Seconds until the next occurrence of something done every `period`, for a run that went from `begin` to `now` in
/// `seconds`. Empty if it never comes or the pace is still unknown.
std::optional<double> seconds_until_due(const Period& period, const Progress& begin, const Progress& now,
                                        double seconds);

/// Bottom line of the terminal during training: progress, quality and speed, time left, and time to the next
/// validation.
class TrainingLine {
 public:
  /// For a run at `begin`, after `seconds` of training. The configuration must outlive it.
  TrainingLine(const TrainConfig& config, bool validates, const Progress& begin, double seconds);

  /// Draws on the bar.
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
