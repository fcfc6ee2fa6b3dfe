// `glossa report`: finished runs, a run in training, and refusals.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

Outcome report(Strings arguments) {
  arguments.insert(arguments.begin(), "report");
  return glossa_program(arguments);
}

/// The document in a page.
json document(const fs::path& page) {
  const std::string html = read_bytes(page), before = R"(<script type="application/json" id="glossa-report">)";
  const std::size_t begin = html.find(before) + before.size();
  return json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

/// Checks that the document has every number of metrics.jsonl, at its update.
void check_holds_metrics(const json& run_report, const fs::path& run) {
  std::size_t numbers = 0;
  for (const std::string& line : lines_of(read_bytes(run / "metrics.jsonl"))) {
    const json row = json::parse(line);
    if (row.contains("event")) continue;
    const json& part = run_report[row.contains("loss") ? "training" : "validation"];
    const auto& updates = part["update"];
    const auto at = std::find(updates.begin(), updates.end(), row["update"]);
    REQUIRE((at != updates.end()));
    for (const auto& entry : row.items()) {
      const std::string& key = entry.key();
      const json& value = entry.value();
      CAPTURE(key);
      const json& found = part[key].at(static_cast<std::size_t>(at - updates.begin()));
      const double expected = value.is_boolean() ? 1 : value.get<double>();
      CHECK_LE(std::abs(found.get<double>() - expected), 1e-8 * std::abs(expected));
      ++numbers;
    }
  }
  CHECK_GT(numbers, 20);
}

/// Settings for a run with validations.
Strings with_validation() { return {"train.validate_every=10u", "decode.max_tokens=64"}; }

/// Waits until a page contains `text`; false if the program ended before.
bool wait_for_page(Program& program, const fs::path& page, const std::string& text) {
  while (program.running()) {
    if (fs::exists(page) && read_bytes(page).find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace

TEST_CASE("a report shows a run that was stopped and resumed, and the differing options of two runs") {
  const TinyRun tiny;
  succeeded(tiny.train("run", with_validation()));
  Strings longer = with_validation();
  longer.emplace_back("train.max_updates=30");
  succeeded(tiny.resume("run", longer));
  Outcome outcome = succeeded(report({tiny / "run"}));
  CHECK_EQ(outcome.out, "wrote the report of 1 run to " + (tiny / "run/report.html").string() + "\n");
  CHECK_EQ(outcome.err, "");
  json all = document(tiny / "run/report.html");
  const json& run = all["runs"].at(0);
  check_holds_metrics(run, tiny / "run");
  CHECK_EQ(run["name"], "run");
  CHECK_EQ(run["state"], "finished");
  CHECK_EQ(run["time"], "training");
  REQUIRE_EQ(run["events"].size(), 3);
  CHECK_EQ(run["events"][1]["kind"], "resume");
  CHECK_EQ(run["events"][1]["update"], 20);
  CHECK_EQ(run["samples"].size(), 4);
  CHECK_EQ(run["samples"][0]["updates"], json{10, 20, 30});
  CHECK_EQ(run["attention"].size(), 3);
  CHECK_EQ(run["attention"][0]["text"], run["samples"][0]["source"]);
  CHECK_EQ(run["attention"][0]["cross"].size(), 1);     // layers
  CHECK_EQ(run["attention"][0]["cross"][0].size(), 2);  // heads
  CHECK_EQ(all["corpora"][0]["pairs"], lines_of(read_bytes(tiny / "toy/train.en")).size());
  CHECK(run["problems"].empty());

  succeeded(tiny.train("other", {"optim.lr=1e-3", "train.save_every=10u"}));
  outcome = report({tiny / "run", tiny / "other", "--out", tiny / "both.html"});
  succeeded(outcome);
  all = document(tiny / "both.html");
  CHECK_EQ(all["runs"].size(), 2);
  CHECK_EQ(all["corpora"].size(), 1);
  CHECK_EQ(all["runs"][1]["validation"]["rows"], 0);
  Strings differing;
  for (const json& option : all["options"])
    if (option["differs"] == true) differing.push_back(option["key"]);
  CHECK_EQ(differing,
           Strings{"optim.lr", "train.max_updates", "train.validate_every", "train.save_every", "decode.max_tokens"});

  // Given sentences; a checkpoint stands for its run; damage is reported, and the rest is shown.
  std::string longest = "the";
  for (int i = 0; i < 70; ++i) longest += " dog";
  write_bytes(tiny / "sentences", "the cat sleeps\n\n" + longest + "\nthe dog sleeps\n\n\n");
  write_bytes(tiny / "run/metrics.jsonl", read_bytes(tiny / "run/metrics.jsonl") + "{\"update\":");
  outcome =
      succeeded(report({tiny / "run/checkpoints/last", "--input", tiny / "sentences", "--out", tiny / "one.html"}));
  CHECK_NE(outcome.err.find("warning: [" + (tiny / "run/metrics.jsonl").string()), std::string::npos);
  all = document(tiny / "one.html");
  CHECK_EQ(all["runs"][0]["attention"].size(), 2);
  CHECK_EQ(all["runs"][0]["attention"][1]["text"], "the dog sleeps");
  CHECK_EQ(all["runs"][0]["problems"].size(), 1);
  const Strings missing{"no attention is shown for sentence 3: the sentence has more than 60 tokens",
                        "no attention is shown for sentences 2, 5 and 6: the sentence is empty"};
  CHECK_EQ(all["runs"][0]["attention_missing"].get<Strings>(), missing);
  for (const std::string& note : missing)
    CHECK_NE(outcome.err.find("note: " + (tiny / "run").string() + ": " + note + "\n"), std::string::npos);
  check_refused(report({tiny / "run", "--input", tiny / "nowhere"}), 1, {"nowhere"});

  // Without the corpus, the rest works.
  fs::rename(tiny / "toy", tiny / "moved");
  succeeded(report({tiny / "other"}));
  CHECK(document(tiny / "other/report.html")["corpora"][0].contains("missing"));
}

TEST_CASE("paths that are not runs, and bad output files, are refused before anything is written") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"train.max_updates=2"}));
  check_refused(report({tiny / "nowhere"}), 1, {"nowhere]", "not found"});
  check_refused(report({tiny / "toy"}), 1, {"toy]", "config.yaml"});
  check_refused(report({tiny / "run", tiny / "nowhere", "--out", tiny / "x.html"}), 1, {"nowhere]"});
  check_refused(report({tiny / "run", tiny / "run/../run", "--out", tiny / "x.html"}), 2, {"each run once"});
  succeeded(tiny.train("other", {"train.max_updates=2"}));
  check_refused(report({tiny / "run", tiny / "other"}), 2, {"--out", "2 runs"});
  check_refused(report({tiny / "run", "--out", tiny / "run/config.yaml"}), 2, {"--out", ".html"});
  const Outcome outcome = report({tiny / "run", "--out", tiny / "nowhere/x.html"});
  CHECK_EQ(outcome.status, 1);
  CHECK_NE(outcome.err.find("nowhere/x.html"), std::string::npos);
  CHECK_FALSE(fs::exists(tiny / "x.html"));
  CHECK_EQ(report({}).status, 2);
  // There is nothing to follow: the page is written once.
  succeeded(report({tiny / "run", "--follow"}));
  CHECK_EQ(document(tiny / "run/report.html")["following"], false);
}

TEST_CASE("a training run is followed until it ends; Ctrl-C stops following and leaves a complete page") {
  const TinyRun tiny;
  const fs::path page = tiny / "run/report.html";
  Strings arguments = tiny.train_arguments("run", {"train.max_updates=1000000", "train.log_every=5u"});
  arguments.insert(arguments.begin(), tested_program());
  Program training({.arguments = arguments, .input = {}, .folder = {}});
  REQUIRE(wait_for_metrics(training, tiny / "run", 2));
  const Launch following{
      .arguments = {tested_program(), "report", tiny / "run", "--follow"}, .input = {}, .folder = {}};
  {
    Program reporter(following);
    REQUIRE(wait_for_page(reporter, page, "\"following\":true"));
    CHECK_EQ(document(page)["runs"][0]["state"], "training");
    reporter.signal(SIGINT);
    const Outcome outcome = reporter.wait();
    CHECK_EQ(outcome.status, 0);
    CHECK_EQ(document(page)["following"], false);
    CHECK(training.running());
  }
  Program reporter(following);
  REQUIRE(wait_for_page(reporter, page, "\"following\":true"));
  const std::string first = read_bytes(page);
  while (reporter.running() && read_bytes(page) == first) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(reporter.running());  // it has rewritten the page
  training.signal(SIGTERM);
  CHECK_EQ(training.wait().status, 0);
  CHECK_EQ(reporter.wait().status, 0);
  const json last = document(page);
  CHECK_EQ(last["following"], false);
  CHECK_EQ(last["runs"][0]["state"], "stopped");
  CHECK_EQ(last["runs"][0]["events"][0]["update"], tiny.last_update("run"));
}
