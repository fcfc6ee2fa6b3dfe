#include "train/run_log.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/check.h"
#include "tests/support/temporary_folder.h"
#include "train/report_figures.h"
#include "train/validation_history.h"

using namespace glossa;
using glossa::testing::read_bytes;
using glossa::testing::TemporaryFolder;
using glossa::testing::write_bytes;
using Kind = LogLine::Kind;

namespace {

constexpr const char* kTime = "2026-01-31 23:59:59";
const TrainingReport kReport{50, 1, 2.5, 12345.6, 0.001, 0.75, 61.5};

LogLine line(const std::string& text, Kind kind = Kind::note) { return {.kind = kind, .text = text, .time = kTime}; }

std::string log_of(const TemporaryFolder& run) { return read_bytes(run.path() / "train.log"); }
std::string metrics_of(const TemporaryFolder& run) { return read_bytes(run.path() / "metrics.jsonl"); }

/// The objects of the metrics.
std::vector<nlohmann::json> objects_of(const TemporaryFolder& run) {
  std::vector<nlohmann::json> objects;
  std::istringstream text(metrics_of(run));
  for (std::string line; std::getline(text, line);) objects.push_back(nlohmann::json::parse(line));
  return objects;
}

}  // namespace

TEST_CASE("a training line without a finite update has no loss") {
  TrainingReport report = kReport;
  report.loss = report.grad_norm = -std::numeric_limits<double>::quiet_NaN();
  report.tokens_per_s = 0;
  CHECK(line_of(report).text ==
        "Ep. 1 : Up. 50 : no loss, as all updates were skipped : 0 tokens/s : lr 1.000e-03 : gnorm nan");
}

TEST_CASE("a training line is written for people and for machines") {
  const TemporaryFolder run;
  RunLog log(run.path());
  LogLine text = line_of(kReport);
  text.time = kTime;
  log.log(text);
  log.training(kReport);
  CHECK(log_of(run) ==
        "[2026-01-31 23:59:59] Ep. 1 : Up. 50 : loss 2.5000 : ppl 12.18 : 12346 tokens/s : lr "
        "1.000e-03 : gnorm 0.750\n");
  CHECK(nlohmann::json::parse(metrics_of(run)) == nlohmann::json{{"update", 50},
                                                                 {"epoch", 1},
                                                                 {"loss", 2.5},
                                                                 {"perplexity", std::exp(2.5)},
                                                                 {"tokens_per_s", 12345.6},
                                                                 {"lr", 0.001},
                                                                 {"grad_norm", 0.75},
                                                                 {"seconds", 61.5},
                                                                 {"waited", 0}});
  TrainingReport slow = kReport;
  slow.waited = 0.123;
  CHECK(line_of(slow).text.ends_with(" : gnorm 0.750 : 12 % waited for text"));
}

TEST_CASE("details are not in the log; the last error is") {
  const TemporaryFolder run;
  RunLog log(run.path());
  log.log(line("configuration\nmany lines", Kind::detail));
  log.log(line("[file] expected this; got\nthat", Kind::error));
  CHECK(log_of(run) == "[2026-01-31 23:59:59] error: [file] expected this; got\\nthat\n");
}

TEST_CASE("a validation line says whether it is the best, and by which metric") {
  const ValidationReport best{100, 2, 1.0, {}, {}, {}, 0},
      scored{200, 3, 1.5, 12.345, 30.5, 0.25, 2, false, {"source  a\noutput  b", "more"}, 90.5, {}, "bleu"};
  CHECK(line_of(best).text == "Ep. 2 : Up. 100 : valid loss 1.0000 : ppl 2.72 : new best loss");
  CHECK(line_of(best).highlight == "new best");
  CHECK(line_of(scored).text ==
        "Ep. 3 : Up. 200 : valid loss 1.5000 : ppl 4.48 : BLEU 12.35 : chrF 30.50 : exact match 0.2500 : "
        "bleu stalled 2 times\nsource  a\noutput  b");
  CHECK(line_of(scored).highlight.empty());
  CHECK(line_of(ValidationReport{300, 4, 1.5, {}, {}, {}, 1}).text.ends_with(" : ppl 4.48 : loss stalled 1 time"));
  const TemporaryFolder run;
  RunLog log(run.path());
  log.validation(best);
  log.validation(scored);
  const auto objects = objects_of(run);
  REQUIRE(objects.size() == 4);
  CHECK(objects[0] ==
        nlohmann::json{
            {"update", 100}, {"epoch", 2}, {"valid_loss", 1.0}, {"valid_perplexity", std::exp(1.0)}, {"seconds", 0.0}});
  CHECK(objects[1] ==
        nlohmann::json{{"event", "validation"}, {"update", 100}, {"metric", "loss"}, {"best", true}, {"stalled", 0}});
  CHECK(objects[2] == nlohmann::json{{"update", 200},
                                     {"epoch", 3},
                                     {"valid_loss", 1.5},
                                     {"valid_perplexity", std::exp(1.5)},
                                     {"valid_bleu", 12.345},
                                     {"valid_chrf", 30.5},
                                     {"valid_exact_match", 0.25},
                                     {"seconds", 90.5}});
  CHECK(objects[3] ==
        nlohmann::json{{"event", "validation"}, {"update", 200}, {"metric", "bleu"}, {"best", false}, {"stalled", 2}});
  CHECK(last_validation(run.path()) == 200);
}

TEST_CASE("events are lines of the metrics") {
  using What = TrainingEvent::Kind;
  const TemporaryFolder run;
  {
    RunLog log(run.path(), -1);
    log.event({.kind = What::start,
               .update = 0,
               .text = "new run",
               .time = kTime,
               .parameters = 12,
               .decided = {"auto model: width 8"},
               .head = {"a", "b\nc"}});
    log.event({.kind = What::refused, .update = 7, .text = "update 7 skipped: nan", .time = kTime});
    log.checkpoint({.update = 20, .file = "x/checkpoints/update-00000020.ckpt", .is_best = true});
    log.event({.kind = What::stop,
               .update = 20,
               .text = "stopped",
               .time = kTime,
               .reason = "signal",
               .refused = 1,
               .epochs = 1.5,
               .seconds = 3,
               .peak_mib = 10});
  }
  RunLog(run.path(), 10).event({.kind = What::resume, .update = 10, .text = "resumed", .time = kTime});
  const auto objects = objects_of(run);
  REQUIRE(objects.size() == 4);
  CHECK(objects[0] == nlohmann::json{{"event", "start"},
                                     {"update", 0},
                                     {"time", kTime},
                                     {"text", "new run"},
                                     {"parameters", 12},
                                     {"decided", {"auto model: width 8"}},
                                     {"log", {"a", "b\nc"}}});
  CHECK(objects[1] ==
        nlohmann::json{{"event", "refused"}, {"update", 7}, {"time", kTime}, {"text", "update 7 skipped: nan"}});
  CHECK(objects[2] == nlohmann::json{{"event", "stop"},
                                     {"update", 20},
                                     {"time", kTime},
                                     {"text", "stopped"},
                                     {"reason", "signal"},
                                     {"refused", 1},
                                     {"epochs", 1.5},
                                     {"seconds", 3.0},
                                     {"peak_mib", 10.0}});
  CHECK(objects[3]["event"] == "resume");
  CHECK(objects[3]["reached"] == 20);  // before the checkpoint of update 20, a line of the future, was dropped
}

TEST_CASE("non-finite numbers become null, and the line stays JSON") {
  const TemporaryFolder run;
  TrainingReport report = kReport;
  report.loss = std::numeric_limits<double>::quiet_NaN();
  RunLog(run.path()).training(report);
  CHECK(nlohmann::json::parse(metrics_of(run))["loss"].is_null());
}

TEST_CASE("a resumed run's metrics read like an undisturbed one's") {
  const TemporaryFolder run;
  const auto report_at = [](std::int64_t update) {
    TrainingReport report = kReport;
    report.update = update;
    return report;
  };
  {
    RunLog log(run.path());
    for (int update = 10; update <= 60; update += 10) log.training(report_at(update));
  }
  const std::string undisturbed = metrics_of(run);
  write_bytes(run.path() / "metrics.jsonl", undisturbed.substr(0, undisturbed.size() - 7));  // killed inside a line
  {
    RunLog log(run.path(), 40);
    CHECK(metrics_of(run) == undisturbed.substr(0, undisturbed.find("{\"update\":50")));
    log.training(report_at(50));
    log.training(report_at(60));
  }
  CHECK(metrics_of(run) == undisturbed);
}

TEST_CASE("a torn line is dropped even if it parses; a new run begins empty; other garbage is dropped") {
  const TemporaryFolder run;
  const std::string start = "{\"event\":\"start\",\"update\":0}\n";
  write_bytes(run.path() / "metrics.jsonl", start + "{\"update\":5}\nrubbish\n{\"epoch\":1}\n{\"update\":6}");
  { RunLog log(run.path(), 10); }
  CHECK(metrics_of(run) == start + "{\"update\":5}\n");
  { RunLog log(run.path(), 0); }
  CHECK(metrics_of(run) == start);
  { RunLog log(run.path(), -1); }
  CHECK(metrics_of(run).empty());
}

TEST_CASE("values in the log can neither drive a terminal nor look like further entries") {
  const TemporaryFolder run;
  RunLog log(run.path());
  const std::string forged = "x\n[2026-01-01 00:00:00] finished: all";
  log.log(line("data \x1b[2J\u202e:\n    " + forged));
  log.log(line("note: \r" + forged, Kind::warning));
  log.log(line("[" + forged + "] got\nnothing", Kind::error));
  std::vector<std::string> entries;
  std::istringstream lines(log_of(run));
  for (std::string line; std::getline(lines, line);) entries.push_back(line.starts_with('[') ? line.substr(22) : line);
  const std::string shown = "x\\n[2026-01-01 00:00:00] finished: all";
  CHECK(entries == std::vector<std::string>{"data \\x1b[2J\\u202e:", "    " + shown, "note: \\x0d" + shown,
                                            "error: [" + shown + "] got\\nnothing"});
}

TEST_CASE("a file that cannot be written is named") {
  const auto error_of = [&](const std::filesystem::path& run) -> std::string {
    try {
      RunLog(run).log(line("x"));
    } catch (const Error& error) {
      CHECK(error.exit_status() == 1);
      return error.what();
    }
    return "no error";
  };
  CHECK(error_of("/nowhere") == "[/nowhere/train.log] cannot open the file for writing: No such file or directory");
  const TemporaryFolder run;
  std::filesystem::create_symlink("/dev/full", run.path() / "train.log");
  const std::string full = error_of(run.path());
  CHECK(full.starts_with("[" + (run.path() / "train.log").string() + "] cannot append "));
  CHECK(full.ends_with(" bytes: No space left on device"));
}

TEST_CASE("watched corpora are reported below the deciding one, and by name in the metrics") {
  const ValidationReport report{
      .update = 50,
      .epoch = 1,
      .loss = 2.5,
      .bleu = 12.5,
      .samples = {"source a"},
      .watched = {{.name = "old/\"news\"", .loss = 1.5, .bleu = 20.25}, {.name = "toy:40", .loss = 0.5}}};
  CHECK(line_of(report).text ==
        "Ep. 1 : Up. 50 : valid loss 2.5000 : ppl 12.18 : BLEU 12.50 : new best loss\n"
        "    old/\"news\" : valid loss 1.5000 : ppl 4.48 : BLEU 20.25\n"
        "    toy:40 : valid loss 0.5000 : ppl 1.65\n"
        "source a");
  const TemporaryFolder run;
  RunLog(run.path()).validation(report);
  const auto json = objects_of(run).front();
  CHECK(json["valid_loss"] == 2.5);
  CHECK(json["valid_loss:old/\"news\""] == 1.5);
  CHECK(json["valid_perplexity:old/\"news\""] == std::exp(1.5));
  CHECK(json["valid_bleu:old/\"news\""] == 20.25);
  CHECK(json["valid_loss:toy:40"] == 0.5);
  CHECK_FALSE(json.contains("valid_bleu:toy:40"));
}
