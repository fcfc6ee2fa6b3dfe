#include "report/run_groups.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

using namespace glossa;
using nlohmann::json;

namespace {

/// A run with these BLEU scores, one per validation; the loss is 100 minus BLEU, divided by 10.
RunHistory run_of(std::string name, std::int64_t seed, const std::vector<double>& bleu) {
  RunHistory run;
  run.name = std::move(name);
  run.config.train.seed = seed;
  run.metrics.validation.names = {"update", "valid_loss", "valid_bleu", "seconds"};
  for (std::size_t i = 0; i < bleu.size(); ++i)
    run.metrics.validation.rows.push_back(
        {static_cast<double>(10 * i + 10), (100 - bleu[i]) / 10, bleu[i], 60.0 * static_cast<double>(i + 1)});
  return run;
}

const GroupFigure& figure(const RunGroup& group, std::string_view name) {
  return *std::ranges::find(group.figures, name, &GroupFigure::name);
}

}  // namespace

TEST_CASE("runs are a group if their configurations differ in train.seed only") {
  std::vector<RunHistory> runs;
  for (int i = 0; i < 6; ++i) runs.push_back(run_of("run" + std::to_string(i), i, {1.0 * i}));
  runs[1].config.optim.schedule.lr = runs[4].config.optim.schedule.lr = 0.5;
  runs[3].config.model.transformer.stack.width = 8;
  const std::vector<RunGroup> groups = groups_of(runs);
  REQUIRE_EQ(groups.size(), 2);
  CHECK_EQ(groups[0].runs, std::vector<std::size_t>{0, 2, 5});
  CHECK_EQ(groups[1].runs, std::vector<std::size_t>{1, 4});
  CHECK(groups_of(std::span(runs).subspan(3)).empty());
  CHECK_EQ(group_table(runs, {}), "");
}

TEST_CASE("a group's figures are those of the best and the last validations, with their spread") {
  std::vector<RunHistory> runs{run_of("a", 1, {20, 40, 30}), run_of("b", 2, {20, 25, 44}), run_of("c", 3, {36})};
  runs[1].best = 20;  // not the least loss
  const RunGroup group = groups_of(runs).at(0);
  const Spread best = *figure(group, "best_bleu").spread, last = *figure(group, "final_bleu").spread;
  CHECK_EQ(best.count, 3);
  CHECK_EQ(best.mean, doctest::Approx((40 + 25 + 36) / 3.0));
  CHECK_EQ(best.minimum, 25);
  CHECK_EQ(best.maximum, 40);
  const double mean = 101 / 3.0;
  CHECK_EQ(best.deviation,
           doctest::Approx(std::sqrt((std::pow(40 - mean, 2) + std::pow(25 - mean, 2) + std::pow(36 - mean, 2)) / 2)));
  CHECK_EQ(last.mean, doctest::Approx((30 + 44 + 36) / 3.0));
  CHECK_EQ(figure(group, "best_loss").spread->minimum, doctest::Approx(6));
  CHECK_EQ(figure(group, "final_loss").spread->maximum, doctest::Approx(7));
  CHECK_EQ(figure(group, "minutes").spread->mean, doctest::Approx(7 / 3.0));
  CHECK_FALSE(figure(group, "best_chrf").spread);
  CHECK_EQ(group_table(runs, groups_of(runs)),
           "runs that differ in train.seed only, at their best checkpoints: mean ± standard deviation\n"
           "runs  BLEU                      chrF2                     loss                        names\n"
           "   3  33.67 ± 7.77              -                         6.6333 ± 0.7767             a, b, c\n");
}

TEST_CASE("runs without validations or scores leave gaps in a group's figures") {
  std::vector<RunHistory> runs{run_of("a", 1, {}), run_of("b", 2, {30}), run_of("c", 3, {std::nan("")})};
  runs[0].metrics.training.names = {"update", "seconds"};
  runs[0].metrics.training.rows = {{5, 600}};
  const std::vector<RunGroup> groups = groups_of(runs);
  const Spread bleu = *figure(groups.at(0), "best_bleu").spread, minutes = *figure(groups[0], "minutes").spread;
  CHECK_EQ(bleu.count, 1);
  CHECK(std::isnan(bleu.deviation));
  CHECK_EQ(minutes.count, 3);
  CHECK_EQ(minutes.maximum, 10);
  CHECK_NE(group_table(runs, groups).find("30.00 (1 of them)"), std::string::npos);
  CorpusBook corpora;
  const json group = json::parse(report_json(runs, {}, corpora, false))["groups"].at(0);
  CHECK_EQ(group["runs"], json{0, 1, 2});
  CHECK_EQ(group["best_bleu"],
           json{{"count", 1}, {"mean", 30.0}, {"deviation", nullptr}, {"minimum", 30.0}, {"maximum", 30.0}});
  CHECK_FALSE(group.contains("best_chrf"));
}

TEST_CASE("drawn runs fall into groups by what differs besides the seed") {
  std::mt19937 draw(5);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<RunHistory> runs;
    std::vector<std::vector<std::size_t>> expected(4);
    for (std::size_t i = 0; i < 9; ++i) {
      const auto kind = static_cast<std::size_t>(draw() % 4);
      runs.push_back(run_of("run", static_cast<std::int64_t>(i), {50}));
      runs.back().config.decode.beam = 1 + static_cast<std::int64_t>(draw() % 4);  // of use, not of training
      runs.back().config.runtime.threads = 1 + static_cast<std::int64_t>(draw() % 4);
      runs.back().config.model.transformer.stack.width = 16 << (kind % 2);
      runs.back().config.optim.schedule.lr = 0.1 * static_cast<double>(1 + kind / 2);
      expected[kind].push_back(i);
    }
    std::erase_if(expected, [](const auto& group) { return group.size() < 2; });
    std::ranges::sort(expected);
    std::vector<std::vector<std::size_t>> found;
    for (const RunGroup& group : groups_of(runs)) found.push_back(group.runs);
    CHECK_EQ(found, expected);
  }
}

TEST_CASE("a repeated run is in no group with the first") {
  const std::vector<RunHistory> twice{run_of("a", 1, {30}), run_of("copy", 1, {30})};
  CHECK(groups_of(twice).empty());
  const std::vector<RunHistory> runs{run_of("a", 1, {30}), run_of("b", 2, {40}), run_of("copy", 1, {30})};
  CHECK_EQ(groups_of(runs).at(0).runs, std::vector<std::size_t>{0, 1});
}
