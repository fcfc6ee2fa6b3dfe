#include "optim/lr_schedule.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"

using namespace glossa;
using Kind = ScheduleOptions::Kind;

namespace {

void check_rates(const ScheduleOptions& options, const std::vector<std::pair<std::int64_t, double>>& expected) {
  const Schedule schedule(options);
  for (const auto& row : expected) {
    const auto& update = row.first;
    const auto& lr = row.second;
    CAPTURE(update);
    CHECK(schedule.lr(update) == doctest::Approx(lr).epsilon(1e-14));
  }
}

/// Learning rates after each metric.
std::vector<double> plateau_rates(ScheduleOptions options, bool larger_is_better, const std::vector<double>& metrics) {
  options.kind = Kind::plateau;
  Schedule schedule(options);
  std::vector<double> rates;
  for (const double metric : metrics) {
    schedule.observe(metric, larger_is_better);
    rates.push_back(schedule.lr(1000));
  }
  return rates;
}

using Rates = std::vector<double>;

}  // namespace

TEST_CASE("constant: the rate, after an optional linear warm-up") {
  check_rates({.lr = 0.5}, {{1, 0.5}, {1'000'000, 0.5}});
  check_rates({.lr = 0.5, .warmup = 10}, {{1, 0.05}, {5, 0.25}, {10, 0.5}, {11, 0.5}});
  check_rates({.lr = 0.5, .warmup = 4, .warmup_init_lr = 0.1}, {{1, 0.2}, {2, 0.3}, {3, 0.4}, {4, 0.5}, {5, 0.5}});
}

TEST_CASE("inverse_sqrt: lr times min(n / warmup, sqrt(warmup / n))") {
  for (const std::int64_t n : {1, 2, 1999, 2000, 2001, 8000, 50'000})
    check_rates({.kind = Kind::inverse_sqrt, .lr = 5e-3, .warmup = 2000},
                {{n, 5e-3 * std::min(static_cast<double>(n) / 2000, std::sqrt(2000. / static_cast<double>(n)))}});
  // As in fairseq, warm-up starts from warmup_init_lr, in equal steps.
  check_rates({.kind = Kind::inverse_sqrt, .lr = 8e-4, .warmup = 4, .warmup_init_lr = 4e-4},
              {{1, 5e-4}, {2, 6e-4}, {4, 8e-4}, {16, 4e-4}, {64, 2e-4}});
  check_rates({.kind = Kind::inverse_sqrt, .lr = 1, .warmup = 4, .min_lr = 0.5},
              {{1, 0.25}, {4, 1}, {16, 0.5}, {64, 0.5}});
}

TEST_CASE("noam: the article's formula") {
  // d = 512, warmup 4000: the peak is 1 / sqrt(512 * 4000) = 1 / sqrt(2048000).
  const double peak = 6.987712429686843e-4;
  check_rates({.kind = Kind::noam, .warmup = 4000, .width = 512},
              {{1, peak / 4000}, {2000, peak / 2}, {4000, peak}, {16'000, peak / 2}});
  check_rates({.kind = Kind::noam, .warmup = 4, .factor = 2, .width = 16},
              {{1, 0.0625}, {2, 0.125}, {4, 0.25}, {64, 0.0625}});
}

TEST_CASE("cosine: half a wave from lr to min_lr") {
  check_rates({.kind = Kind::cosine, .lr = 1, .total_updates = 3}, {{1, 0.75}, {2, 0.25}, {3, 0}, {4, 0}});
  check_rates({.kind = Kind::cosine, .lr = 1, .warmup = 10, .min_lr = 0.2, .total_updates = 14},
              {{5, 0.5}, {10, 1}, {11, 0.2 + 0.4 * (1 + std::sqrt(0.5))}, {12, 0.6}, {14, 0.2}, {100, 0.2}});
}

TEST_CASE("linear: a straight line from lr to min_lr") {
  check_rates({.kind = Kind::linear, .lr = 1, .total_updates = 4}, {{1, 0.75}, {2, 0.5}, {4, 0}, {5, 0}});
  check_rates({.kind = Kind::linear, .lr = 1, .warmup = 2, .min_lr = 0.5, .total_updates = 6},
              {{1, 0.5}, {2, 1}, {3, 0.875}, {6, 0.5}, {60, 0.5}});
}

TEST_CASE("plateau: reduced when more than `patience` validations in a row are no better") {
  const ScheduleOptions options{.lr = 8, .min_lr = 1.5, .plateau_factor = 0.5, .plateau_patience = 1};
  CHECK(plateau_rates(options, false, {5, 4, 4, 4, 3, 3, 3, 3, 3}) == Rates{8, 8, 8, 4, 4, 4, 2, 2, 1.5});
  CHECK(plateau_rates(options, true, {1, 2, 2, 2, 3}) == Rates{8, 8, 8, 4, 4});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(plateau_rates(options, false, {nan, 5, nan, 4, nan, nan}) == Rates{8, 8, 8, 8, 8, 4});
  ScheduleOptions impatient = options;
  impatient.plateau_patience = 0;
  CHECK(plateau_rates(impatient, false, {5, 5, 5}) == Rates{8, 4, 2});
}

TEST_CASE("plateau: its state is all that a resume needs, and other schedules have none") {
  const ScheduleOptions options{.kind = Kind::plateau, .lr = 8, .plateau_patience = 1};
  Schedule first(options), second(options);
  for (const double metric : {5., 6., 7., 8.}) first.observe(metric, false);
  second.set_plateau(first.plateau());
  CHECK(first.plateau() == PlateauState{true, 5, 1, 1});
  second.observe(9, false);
  CHECK(second.lr(1) == 2);
  Schedule constant({.lr = 8, .plateau_patience = 0});
  for (int i = 0; i < 3; ++i) constant.observe(1, false);
  CHECK(constant.plateau() == PlateauState{});
}

TEST_CASE("options that leave the formula undefined are refused") {
  CHECK_THROWS_AS(Schedule({.kind = Kind::noam}), Error);
  CHECK_THROWS_AS(Schedule({.kind = Kind::inverse_sqrt}), Error);
  CHECK_THROWS_AS(Schedule({.kind = Kind::noam, .warmup = 1, .width = 0}), Error);
  CHECK_THROWS_AS(Schedule({.warmup = -1}), Error);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(Schedule({.lr = -0.5}), "[ScheduleOptions::lr] expected a number of at least 0; got -0.5",
                       Error);
  CHECK_THROWS_AS(Schedule({.lr = nan}), Error);
  CHECK_THROWS_AS(Schedule({.warmup = 1, .warmup_init_lr = -1}), Error);
  CHECK_THROWS_AS(Schedule({.min_lr = -1}), Error);
  CHECK_THROWS_AS(Schedule({.kind = Kind::noam, .warmup = 1, .factor = -1}), Error);
  for (const double factor : {nan, -0.5, 0.0, 1.0, 2.0})
    CHECK_THROWS_WITH_AS(Schedule({.kind = Kind::plateau, .plateau_factor = factor}),
                         doctest::Contains("[ScheduleOptions::plateau_factor] expected a number in (0, 1)"), Error);
  CHECK_THROWS_WITH_AS(Schedule({.kind = Kind::plateau, .plateau_patience = -1}),
                       "[ScheduleOptions::plateau_patience] expected at least 0; got -1", Error);
  CHECK_THROWS_WITH_AS(Schedule({.kind = Kind::cosine, .warmup = 5, .total_updates = 5}),
                       "[ScheduleOptions::total_updates] expected more than the warmup (5); got 5", Error);
}

TEST_CASE("an update before the first is refused by every schedule, and update 0 is the start of the warm-up") {
  for (const Kind kind : {Kind::constant, Kind::noam, Kind::inverse_sqrt, Kind::cosine, Kind::linear, Kind::plateau}) {
    const Schedule schedule({.kind = kind, .warmup = 4, .total_updates = 9});
    CHECK_EQ(schedule.lr(0), 0);
    for (const std::int64_t update : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()})
      CHECK_THROWS_WITH_AS(static_cast<void>(schedule.lr(update)),
                           doctest::Contains("[schedule] expected an update of at least 0"), Error);
  }
}
