#include "train/run_log.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "autograd/check.h"
#include "tests/support/event_reader.h"
#include "tests/support/pseudo_terminal.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using glossa::testing::PseudoTerminal;
using glossa::testing::read_bytes;
using glossa::testing::TemporaryFolder;
using glossa::testing::write_bytes;

namespace {

/// A log's output to a terminal that is a file.
struct FakeTerminal {
  TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "terminal";
  std::FILE* file = std::fopen(path.c_str(), "w");
  ~FakeTerminal() { std::fclose(file); }
  std::string text() const { return read_bytes(path); }
};

const TrainingReport kReport{50, 1, 2.5, 12345.6, 0.001, 0.75, 61.5};

}  // namespace

TEST_CASE("a training line without a finite update has no loss") {
  FakeTerminal terminal;
  const TemporaryFolder run;
  TrainingReport report = kReport;
  report.loss = report.grad_norm = -std::numeric_limits<double>::quiet_NaN();
  report.tokens_per_s = 0;
  RunLog(run.path(), 0, terminal.file).training(report);
  CHECK(terminal.text().substr(22) ==
        "Ep. 1 : Up. 50 : no loss, as all updates were skipped : 0 tokens/s : lr 1.000e-03 : gnorm nan\n");
}

TEST_CASE("a training line is written for people and for machines") {
  FakeTerminal terminal;
  const TemporaryFolder run;
  RunLog log(run.path(), 0, terminal.file);
  log.training(kReport);
  const std::string line = read_bytes(run.path() / "train.log");
  std::string stamp = line.substr(0, 22);
  for (char& c : stamp)
    if (c >= '0' && c <= '9') c = '0';
  CHECK(stamp == "[0000-00-00 00:00:00] ");
  CHECK(line.substr(22) == "Ep. 1 : Up. 50 : loss 2.5000 : ppl 12.18 : 12346 tokens/s : lr 1.000e-03 : gnorm 0.750\n");
  CHECK(terminal.text() == line);
  const auto json = nlohmann::json::parse(read_bytes(run.path() / "metrics.jsonl"));
  CHECK(json["update"] == 50);
  CHECK(json["epoch"] == 1);
  CHECK(json["loss"] == 2.5);
  CHECK(json["perplexity"] == std::exp(2.5));
  CHECK(json["tokens_per_s"] == 12345.6);
  CHECK(json["lr"] == 0.001);
  CHECK(json["grad_norm"] == 0.75);
  CHECK(json["seconds"] == 61.5);
}

TEST_CASE("details are neither in the log nor, usually, on the terminal; the last error is in the log only") {
  FakeTerminal terminal;
  const TemporaryFolder run;
  RunLog log(run.path(), 0, terminal.file);
  log.detail("configuration\nmany lines");
  log.error("[file] expected this; got that");
  CHECK(terminal.text().empty());
  const std::string text = read_bytes(run.path() / "train.log");
  CHECK_EQ(text.find("configuration"), std::string::npos);
  CHECK(text.ends_with("] error: [file] expected this; got that\n"));

  const TemporaryFolder full;
  std::filesystem::create_symlink("/dev/full", full.path() / "train.log");
  RunLog lost(full.path(), 0, terminal.file);
  CHECK_THROWS_AS(lost.line("x"), Error);
  CHECK_NOTHROW(lost.error("x"));
}

TEST_CASE("a validation line says whether it is the best, and by which metric") {
  FakeTerminal terminal;
  const TemporaryFolder run;
  RunLog log(run.path(), 0, terminal.file);
  log.validation({100, 2, 1.0, {}, {}, {}, 0});
  log.validation({200, 3, 1.5, 12.345, 30.5, 0.25, 2, false, {"source  a\noutput  b", "more"}, {}, 90.5, {}, "bleu"});
  log.validation({300, 4, 1.5, {}, {}, {}, 1});
  const std::string text = read_bytes(run.path() / "train.log");
  CHECK(text.find("] Ep. 2 : Up. 100 : valid loss 1.0000 : ppl 2.72 : new best loss\n") != std::string::npos);
  CHECK(text.find("] Ep. 3 : Up. 200 : valid loss 1.5000 : ppl 4.48 : BLEU 12.35 : chrF 30.50 : exact match 0.2500 : "
                  "bleu stalled 2 times\nsource  a\noutput  b\n[") != std::string::npos);
  CHECK(text.find(" : Up. 300 : valid loss 1.5000 : ppl 4.48 : loss stalled 1 time\n") != std::string::npos);
  const std::string metrics = read_bytes(run.path() / "metrics.jsonl");
  const auto first = nlohmann::json::parse(metrics.substr(0, metrics.find('\n')));
  const auto second =
      nlohmann::json::parse(metrics.substr(metrics.find('\n'), metrics.find("{\"update\":300") - metrics.find('\n')));
  CHECK(first["valid_loss"] == 1.0);
  CHECK_FALSE(first.contains("valid_bleu"));
  CHECK(second["valid_perplexity"] == std::exp(1.5));
  CHECK(second["valid_bleu"] == 12.345);
  CHECK(second["valid_chrf"] == 30.5);
  CHECK(second["valid_exact_match"] == 0.25);
  CHECK(second["seconds"] == 90.5);
}

TEST_CASE("non-finite numbers become null, and the line stays JSON") {
  FakeTerminal terminal;
  const TemporaryFolder run;
  RunLog log(run.path(), 0, terminal.file);
  TrainingReport report = kReport;
  report.loss = std::numeric_limits<double>::quiet_NaN();
  log.training(report);
  CHECK(nlohmann::json::parse(read_bytes(run.path() / "metrics.jsonl"))["loss"].is_null());
}

TEST_CASE("a resumed run's metrics read like an undisturbed one's") {
  FakeTerminal terminal;
  const TemporaryFolder run;
  const auto metrics = run.path() / "metrics.jsonl";
  const auto report_at = [](std::int64_t update) {
    TrainingReport report = kReport;
    report.update = update;
    return report;
  };
  {
    RunLog log(run.path(), 0, terminal.file);
    for (int update = 10; update <= 60; update += 10) log.training(report_at(update));
  }
  const std::string undisturbed = read_bytes(metrics);
  write_bytes(metrics, undisturbed.substr(0, undisturbed.size() - 7));  // killed inside a line
  {
    RunLog log(run.path(), 40, terminal.file);
    CHECK(read_bytes(metrics) == undisturbed.substr(0, undisturbed.find("{\"update\":50")));
    log.training(report_at(50));
    log.training(report_at(60));
  }
  CHECK(read_bytes(metrics) == undisturbed);
  const std::string log_text = read_bytes(run.path() / "train.log");
  CHECK(std::count(log_text.begin(), log_text.end(), '\n') == 8);  // the human-readable log keeps all
}

TEST_CASE("a torn line is dropped even if it parses; a new run begins empty; other garbage is dropped") {
  FakeTerminal terminal;
  const TemporaryFolder run;
  const auto metrics = run.path() / "metrics.jsonl";
  write_bytes(metrics, "{\"update\":5}\nrubbish\n{\"epoch\":1}\n{\"update\":6}");
  { RunLog log(run.path(), 10, terminal.file); }
  CHECK(read_bytes(metrics) == "{\"update\":5}\n");
  { RunLog log(run.path(), 0, terminal.file); }
  CHECK(read_bytes(metrics).empty());
}

TEST_CASE("values in the log can neither drive a terminal nor look like further entries") {
  FakeTerminal terminal;
  const TemporaryFolder run;
  RunLog log(run.path(), 0, terminal.file);
  const std::string forged = "x\n[2026-01-01 00:00:00] finished: all";
  log.line("data \x1b[2J\u202e:\n    " + forged);
  log.warning("note: \r" + forged);
  log.error("[" + forged + "] got\nnothing");
  const std::string text = read_bytes(run.path() / "train.log");
  std::vector<std::string> entries;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) entries.push_back(line.starts_with('[') ? line.substr(22) : line);
  const std::string shown = "x\\n[2026-01-01 00:00:00] finished: all";
  CHECK(entries == std::vector<std::string>{"data \\x1b[2J\\u202e:", "    " + shown, "note: \\x0d" + shown,
                                            "error: [" + shown + "] got\\nnothing"});
  CHECK(text.starts_with(terminal.text()));  // the program prints the error
}

TEST_CASE("on a terminal lines are above the bar and wrapped between words; in the log they are whole") {
  PseudoTerminal terminal(140);
  if (!terminal.is_there()) {
    MESSAGE("no pseudo-terminal here");
    return;
  }
  const TemporaryFolder run;
  const std::string path(120, 'p');
  std::string text;
  for (int i = 0; i < 20; ++i) text += "abc ä fgh ";
  {
    RunLog log(run.path(), 0, terminal.file());
    log.bar().draw(0.5, "loss 1.25");
    log.line(text + "end\nbeside " + path);
    log.training(kReport);  // stacked lines are as long as the terminal is wide
  }
  const std::string& shown = terminal.text();
  CAPTURE(shown);
  CHECK(shown.starts_with("\r\x1b[K 50% [============            ] loss 1.25\r\x1b[K[20"));
  const std::string fits = text.substr(0, 7 * 11 + 6);  // 75 characters behind the 22 of the time
  CHECK_NE(shown.find("] " + fits + "\n    fgh abc"), shown.npos);
  CHECK_NE(shown.find("end\nbeside\n    " + path + "\n["), shown.npos);  // words stay whole
  CHECK_NE(shown.find("lr 1.000e-03 : gnorm 0.750\n"), shown.npos);
  CHECK_NE(read_bytes(run.path() / "train.log").find("] " + text + "end\nbeside " + path + "\n["), std::string::npos);
}

TEST_CASE("a closed terminal does not end the run") {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
    MESSAGE("no pseudo-terminal here");
    return;
  }
  std::FILE* terminal = std::fopen(ptsname(master), "w");
  REQUIRE(terminal != nullptr);
  std::setvbuf(terminal, nullptr, _IONBF, 0);  // like standard error
  const TemporaryFolder run;
  {
    RunLog log(run.path(), 0, terminal);
    close(master);
    CHECK_NOTHROW(log.bar().draw(0.5, "loss 1.25"));
    CHECK_NOTHROW(log.line("hello"));
  }
  CHECK(read_bytes(run.path() / "train.log").ends_with("hello\n"));
  std::fclose(terminal);
}

TEST_CASE("a terminal highlights in color; warnings and errors are printed even with -q") {
  PseudoTerminal terminal(100);
  if (!terminal.is_there()) {
    MESSAGE("no pseudo-terminal here");
    return;
  }
  const TemporaryFolder run;
  {
    RunLog log(run.path(), 0, terminal.file());
    log.validation({100, 2, 1.0, {}, {}, {}, 0});
    log.validation({200, 3, 1.5, {}, {}, {}, 1, false, {"output  new best"}});
    set_verbosity(Verbosity::quiet);
    log.line("hello");
    log.warning("update 7 skipped: not finite");
    log.training(kReport);
    set_verbosity(Verbosity::verbose);
    log.detail("configuration");
    set_verbosity(Verbosity::usual);
    log.detail("nothing");
  }
  const std::string& shown = terminal.text();
  CAPTURE(shown);
  CHECK_NE(shown.find(" : \x1b[32mnew best\x1b[0m loss\n["), shown.npos);
  CHECK_NE(shown.find("output  new best\n["), shown.npos);
  CHECK_NE(shown.find("] \x1b[33mupdate 7 skipped:\x1b[0m not finite\n"), shown.npos);
  CHECK_EQ(shown.find("hello"), shown.npos);
  CHECK_EQ(shown.find("loss 2.5"), shown.npos);
  CHECK(shown.ends_with("] configuration\n"));
  const std::string log = read_bytes(run.path() / "train.log");
  CHECK_EQ(log.find('\x1b'), log.npos);
  for (const char* line : {"] hello\n", "] update 7 skipped: not finite\n", "loss 2.5"})
    CHECK_NE(log.find(line), log.npos);
  CHECK_EQ(log.find("configuration"), log.npos);
}

TEST_CASE("TensorBoard's files contain what the metrics contain, even non-finite numbers") {
  FakeTerminal terminal;
  const TemporaryFolder run;
  {
    RunLog log(run.path(), 0, terminal.file);
    log.begin_events(run.path(), 0, true, "seed: 1");
    TrainingReport report = kReport;
    log.training(report);
    report.update = 60;
    report.loss = std::numeric_limits<double>::quiet_NaN();
    log.training(report);
    log.validation({100, 2, 1.5, 12.5, {}, {}, 0, true, {"source  a\noutput  b", "more"}});
  }
  const glossa::testing::RecordedEvents seen = glossa::testing::read_events(run.path() / "tensorboard");
  CHECK_EQ(seen.steps("train/loss"), std::vector<std::int64_t>{50, 60});
  CHECK_EQ(seen.values.at("train/loss")[0].number, 2.5f);
  CHECK(std::isnan(seen.values.at("train/loss")[1].number));
  CHECK_EQ(seen.values.at("train/tokens_per_s")[0].number, 12345.6f);
  CHECK_EQ(seen.values.at("valid/perplexity")[0].number, static_cast<float>(std::exp(1.5)));
  CHECK_EQ(seen.values.at("valid/bleu")[0].number, 12.5f);
  CHECK_FALSE(seen.values.contains("valid/chrf"));
  CHECK_EQ(seen.values.at("samples/2")[0].text, "    more");
  CHECK_EQ(seen.values.at("configuration")[0].text, "    seed: 1");
  CHECK_EQ(seen.stops, std::vector<std::int64_t>{100});
  RunLog(run.path(), 50, terminal.file);  // as at every start, with or without more output
  CHECK_EQ(glossa::testing::read_events(run.path() / "tensorboard").steps("train/loss"), std::vector<std::int64_t>{50});
}

TEST_CASE("a file that cannot be written is named") {
  FakeTerminal terminal;
  const auto error_of = [&](const std::filesystem::path& run) -> std::string {
    try {
      RunLog(run, 0, terminal.file).line("x");
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
  FakeTerminal terminal;
  const TemporaryFolder run;
  RunLog log(run.path(), 0, terminal.file);
  log.begin_events(run.path(), 0, true, "");
  log.validation({.update = 50,
                  .epoch = 1,
                  .loss = 2.5,
                  .bleu = 12.5,
                  .samples = {"source a"},
                  .watched = {{.name = "old/\"news\"", .loss = 1.5, .bleu = 20.25}, {.name = "toy:40", .loss = 0.5}}});
  CHECK(read_bytes(run.path() / "train.log").substr(22) ==
        "Ep. 1 : Up. 50 : valid loss 2.5000 : ppl 12.18 : BLEU 12.50 : new best loss\n"
        "    old/\"news\" : valid loss 1.5000 : ppl 4.48 : BLEU 20.25\n"
        "    toy:40 : valid loss 0.5000 : ppl 1.65\n"
        "source a\n");
  const auto json = nlohmann::json::parse(read_bytes(run.path() / "metrics.jsonl"));
  CHECK(json["valid_loss"] == 2.5);
  CHECK(json["valid_loss:old/\"news\""] == 1.5);
  CHECK(json["valid_perplexity:old/\"news\""] == std::exp(1.5));
  CHECK(json["valid_bleu:old/\"news\""] == 20.25);
  CHECK(json["valid_loss:toy:40"] == 0.5);
  CHECK_FALSE(json.contains("valid_bleu:toy:40"));
}
