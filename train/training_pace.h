#pragma once

#include <optional>

#include "base/console/progress_bar.h"
#include "config/config.h"
#include "train/training_observer.h"

namespace glossa {

/// Estimates the seconds until the next multiple of `period`, for a run that took `seconds` from `begin` to `now`.
/// Returns an empty value if the period is `never()` or the pace is still unknown.
std::optional<double> seconds_until_due(const Period& period, const Progress& begin, const Progress& now,
                                        double seconds);

/// Estimates when training ends and when it validates next, from its pace since construction.
class TrainingPace {
 public:
  /// Starts at `begin`, after `seconds` of training in earlier sessions. If `validates` is false, expects no
  /// validation. Keeps a reference to `config`.
  TrainingPace(const TrainConfig& config, bool validates, const Progress& begin, double seconds);

  /// Returns the state at `now`, after a total of `report.seconds` of training.
  UpdateReport at(const Progress& now, const TrainingReport& report) const;

 private:
  double part_done(const Progress& now, double seconds) const;

  const TrainConfig& config_;
  bool validates_;
  Progress begin_;
  double seconds_before_;
  TimeLeft time_left_;
};

}  // namespace glossa
