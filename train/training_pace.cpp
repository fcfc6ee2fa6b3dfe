#include "train/training_pace.h"

#include <algorithm>
#include <cmath>

namespace glossa {

std::optional<double> seconds_until_due(const Period& period, const Progress& begin, const Progress& now,
                                        double seconds) {
  const double periods = period.part(now), done = periods - period.part(begin);
  if (done <= 0) return std::nullopt;
  return (std::floor(periods) + 1 - periods) * seconds / done;
}

TrainingPace::TrainingPace(const TrainConfig& config, bool validates, const Progress& begin, double seconds)
    : config_(config),
      validates_(validates),
      begin_(begin),
      seconds_before_(seconds),
      time_left_(part_done(begin, seconds)) {}

UpdateReport TrainingPace::at(const Progress& now, const TrainingReport& report) const {
  const double part = part_done(now, report.seconds);
  UpdateReport state{.training = report, .epochs = now.epochs, .part = part, .seconds_left = time_left_.seconds(part)};
  const auto next = seconds_until_due(config_.validate_every, begin_, now, report.seconds - seconds_before_);
  if (validates_ && next)  // a run that ends before its next validation validates at its end
    state.seconds_to_validation = std::min(*next, state.seconds_left.value_or(*next));
  return state;
}

/// Completed fraction of training until its first limit.
double TrainingPace::part_done(const Progress& now, double seconds) const {
  const double part = std::max(config_.max_updates.part(now), config_.max_epochs.part(now));
  return config_.max_minutes > 0 ? std::max(part, seconds / (60 * config_.max_minutes)) : part;
}

}  // namespace glossa
