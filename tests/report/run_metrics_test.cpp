#include "report/run_metrics.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/check.h"
#include "tests/report/synthetic_run.h"

using namespace glossa;
using glossa::testing::SyntheticRun;

namespace {

std::vector<double> column(const Series& series, const char* name) {
  std::vector<double> values;
  for (const std::vector<double>& row : series.rows) values.push_back(row[series.column(name)]);
  return values;
}

using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("the numbers of metrics.jsonl are read, training and validation separately") {
  const SyntheticRun run;
  const RunMetrics metrics = read_metrics(run.path(), false);
  CHECK(metrics.problems.empty());
  CHECK(column(metrics.training, "update") == Numbers{10, 20, 30, 40});
  CHECK(column(metrics.training, "tokens_per_s") == Numbers{900, 1000, 800, 1100});
  CHECK(column(metrics.training, "lr") == Numbers{0.001, 0.002, 0.002, 0.001});
  CHECK(column(metrics.training, "seconds") == Numbers{1.5, 3, 5, 7});
  CHECK(std::isnan(column(metrics.training, "loss")[2]));
  CHECK(column(metrics.training, "loss")[3] == 2);
  CHECK(column(metrics.validation, "update") == Numbers{20, 40});
  CHECK(column(metrics.validation, "valid_bleu") == Numbers{4.5, 9.5});
  CHECK(std::isnan(column(metrics.validation, "at_end")[0]));
  CHECK(column(metrics.validation, "at_end")[1] == 1);
  CHECK_THROWS_AS(metrics.training.column("valid_loss"), Error);
}

TEST_CASE("an unusable line is left out and reported by its number; the others count") {
  const SyntheticRun run;
  const std::string bad[] = {"rubbish",
                             "[1]",
                             R"({"loss":1})",
                             R"({"update":45})",
                             R"({"update":"45","loss":1})",
                             R"({"update":40,"loss":1})",
                             std::string("\xff\0", 2)};
  std::string text = run.metrics;
  for (const std::string& line : bad) text += line + "\n";
  run.write("metrics.jsonl", text + "{\"update\":50,\"loss\":1.5}\n{\"update\":60,\"lo");
  const RunMetrics metrics = read_metrics(run.path(), false);
  CHECK(column(metrics.training, "update") == Numbers{10, 20, 30, 40, 50});
  REQUIRE(metrics.problems.size() == std::size(bad) + 1);
  for (std::size_t i = 0; i < metrics.problems.size(); ++i) {
    CAPTURE(metrics.problems[i]);
    CHECK(metrics.problems[i].starts_with("[" + (run.path() / "metrics.jsonl").string() + ":" +
                                          std::to_string(i + 7 + (i == std::size(bad) ? 1 : 0)) + "] expected "));
  }
  CHECK(metrics.problems.back().find("part of one") != std::string::npos);
  // While the file is written, its last line may be incomplete.
  CHECK(read_metrics(run.path(), true).problems.size() == std::size(bad));
}

TEST_CASE("watched corpora have their own columns, from their first line on") {
  const SyntheticRun run;
  run.write("metrics.jsonl",
            "{\"update\":1,\"valid_loss\":5}\n"
            "{\"update\":2,\"valid_loss\":4,\"valid_loss:old/news\":3,\"valid_bleu:old/news\":9,\"else:x\":1}\n"
            "{\"update\":3,\"valid_loss\":3,\"valid_loss:old/news\":null}\n");
  const RunMetrics metrics = read_metrics(run.path(), false);
  CHECK(metrics.problems.empty());
  const Numbers losses = column(metrics.validation, "valid_loss:old/news");
  CHECK(std::isnan(losses[0]));
  CHECK(losses[1] == 3);
  CHECK(std::isnan(losses[2]));
  CHECK(column(metrics.validation, "valid_bleu:old/news")[1] == 9);
  CHECK(std::ranges::find(metrics.validation.names, "else:x") == metrics.validation.names.end());
}

TEST_CASE("missing metrics are a problem, not an error") {
  const SyntheticRun run;
  std::filesystem::remove(run.path() / "metrics.jsonl");
  const RunMetrics metrics = read_metrics(run.path(), true);
  CHECK(metrics.training.rows.empty());
  REQUIRE(metrics.problems.size() == 1);
  CHECK(metrics.problems[0].find("metrics.jsonl") != std::string::npos);
  run.write("metrics.jsonl", "");
  CHECK(read_metrics(run.path(), false).problems.empty());
}

TEST_CASE("a thinned series keeps its ends and every peak") {
  Series series{{"update", "a", "b"}, {}};
  for (int i = 0; i < 10000; ++i) series.rows.push_back({1.0 * i, std::sin(i), 0});
  series.rows[0][1] = std::numeric_limits<double>::quiet_NaN();
  series.rows[4321][1] = 50;
  series.rows[8765][2] = -7;
  const Series thin = thinned(series, 600);
  CHECK(thin.names == series.names);
  CHECK(thin.rows.size() <= 602);
  CHECK(thin.rows.size() >= 300);
  CHECK(thin.rows.front()[0] == 0);
  CHECK(thin.rows.back() == series.rows.back());
  const auto has = [&](const std::vector<double>& row) {
    return std::find(thin.rows.begin(), thin.rows.end(), row) != thin.rows.end();
  };
  CHECK(has(series.rows[4321]));
  CHECK(has(series.rows[8765]));
  CHECK(std::is_sorted(thin.rows.begin(), thin.rows.end(), [](auto& a, auto& b) { return a[0] < b[0]; }));
  CHECK(thinned(thin, 600 + 2).rows.size() == thin.rows.size());  // few enough: unchanged
}
