#include "optim/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/check.h"

namespace glossa {

using Kind = ScheduleOptions::Kind;

Schedule::Schedule(const ScheduleOptions& options) : options_(options) {
  const std::pair<const char*, double> rates[] = {{"ScheduleOptions::lr", options.lr},
                                                  {"ScheduleOptions::warmup_init_lr", options.warmup_init_lr},
                                                  {"ScheduleOptions::min_lr", options.min_lr},
                                                  {"ScheduleOptions::factor", options.factor}};
  for (const auto& [name, rate] : rates)
    if (!(rate >= 0)) misuse(name, "expected a number of at least 0; got {}", rate);
  const Kind kind = options.kind;
  const std::int64_t min_warmup = kind == Kind::noam || kind == Kind::inverse_sqrt ? 1 : 0;
  if (options.warmup < min_warmup)
    misuse("ScheduleOptions::warmup", "expected at least {}; got {}", min_warmup, options.warmup);
  if ((kind == Kind::cosine || kind == Kind::linear) && options.total_updates <= options.warmup)
    misuse("ScheduleOptions::total_updates", "expected more than the warmup ({}); got {}", options.warmup,
           options.total_updates);
  if (kind == Kind::plateau && !(options.plateau_factor > 0 && options.plateau_factor < 1))
    misuse("ScheduleOptions::plateau_factor", "expected a number in (0, 1); got {}", options.plateau_factor);
  if (kind == Kind::plateau && options.plateau_patience < 0)
    misuse("ScheduleOptions::plateau_patience", "expected at least 0; got {}", options.plateau_patience);
  if (kind == Kind::noam && options.width < 1)
    misuse("ScheduleOptions::width", "expected at least 1; got {}", options.width);
}

double Schedule::lr(std::int64_t update) const {
  if (update < 0) misuse("schedule", "expected an update of at least 0; got {}", update);
  const auto n = static_cast<double>(update), warmup = static_cast<double>(options_.warmup);
  if (update >= options_.warmup) return std::max(options_.min_lr, after_warmup(n));
  if (options_.kind == Kind::noam)
    return options_.factor / std::sqrt(static_cast<double>(options_.width)) * n * std::pow(warmup, -1.5);
  return options_.warmup_init_lr + (options_.lr - options_.warmup_init_lr) * n / warmup;
}

double Schedule::after_warmup(double n) const {
  const ScheduleOptions& o = options_;
  const auto warmup = static_cast<double>(o.warmup);
  const double t = std::min(1.0, (n - warmup) / (static_cast<double>(o.total_updates) - warmup));
  switch (o.kind) {
    case Kind::constant:
      return o.lr;
    case Kind::noam:
      return o.factor / std::sqrt(static_cast<double>(o.width) * n);
    case Kind::inverse_sqrt:
      return o.lr * std::sqrt(warmup / n);
    case Kind::cosine:
      return o.min_lr + (o.lr - o.min_lr) * (1 + std::cos(std::numbers::pi * t)) / 2;
    case Kind::linear:
      return o.lr + (o.min_lr - o.lr) * t;
    case Kind::plateau:
      return o.lr * std::pow(o.plateau_factor, static_cast<double>(plateau_.reductions));
  }
  fail("ScheduleOptions::kind", "expected a known schedule; got {}", static_cast<int>(o.kind));
}

void Schedule::observe(double metric, bool larger_is_better) {
  if (options_.kind != Kind::plateau) return;
  auto& [seen, best, bad, reductions] = plateau_;
  const bool improved = !std::isnan(metric) && (!seen || (larger_is_better ? metric > best : metric < best));
  if (improved) {
    seen = true;
    best = metric;
    bad = 0;
  } else if (++bad > options_.plateau_patience) {
    ++reductions;
    bad = 0;
  }
}

}  // namespace glossa
