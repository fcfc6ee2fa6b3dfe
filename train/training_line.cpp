#include "train/training_line.h"

#include <cmath>

namespace glossa {

std::optional<double> seconds_until_due(const Period& period, const Progress& begin, const Progress& now,
                                        double seconds) {
  const double periods = period.part(now), done = periods - period.part(begin);
  if (done <= 0) return std::nullopt;
  return (std::floor(periods) + 1 - periods) * seconds / done;
}

TrainingLine::TrainingLine(const TrainConfig& config, bool validates, const Progress& begin, double seconds)
    : config_(config),
      validates_(validates),
      begin_(begin),
      seconds_before_(seconds),
      time_left_(part_done(begin, seconds)) {}

void TrainingLine::draw(ProgressBar& bar, const Progress& now, double seconds, const TrainingReport& report) const {
  const double part = part_done(now, seconds);
  const std::string loss = std::isnan(report.loss) ? "no loss" : fmt::format("loss {:.3f}", report.loss);
  std::string text = fmt::format("update {}, epoch {:.2f}, {}, {:.0f} tokens/s{}", now.updates, now.epochs, loss,
                                 report.tokens_per_s, time_left_.after(part));
  const auto next = seconds_until_due(config_.validate_every, begin_, now, seconds - seconds_before_);
  if (validates_ && next)  // if training ends earlier, it validates then
    text += fmt::format(", validation in {}", clock_text(std::min(*next, time_left_.seconds(part).value_or(*next))));
  bar.draw(part, text);
}

/// Completed fraction of training until its first limit.
double TrainingLine::part_done(const Progress& now, double seconds) const {
  const double part = std::max(config_.max_updates.part(now), config_.max_epochs.part(now));
  return config_.max_minutes > 0 ? std::max(part, seconds / (60 * config_.max_minutes)) : part;
}

}  // namespace glossa
