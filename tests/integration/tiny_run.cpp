#include "tests/integration/tiny_run.h"

#include <doctest/doctest.h>

#include <chrono>
#include <nlohmann/json.hpp>  // included only here: it compiles slowly
#include <regex>
#include <sstream>
#include <thread>

#include "tests/support/metrics_text.h"

namespace glossa::testing {
namespace {

constexpr const char* configuration = R"(data:
  train: FOLDER/toy/train
  valid: FOLDER/toy/valid
  source: en
  target: hi
  tokenizer: words
  shared_vocabulary: false
  max_tokens: 512
model:
  width: 16
  heads: 2
  feed_forward: 32
  encoder_layers: 1
  decoder_layers: 1
  dropout: 0.3
  tied: output
optim:
  lr: 2e-3
  warmup: 10
train:
  max_updates: 20
  validate_every: 0
  save_every: 5u
  log_every: 10u
  allow: few-pairs
runtime:
  threads: 1
)";

/// The files of toy:2000, made once for all tests.
const TemporaryFolder& toy_corpus() {
  static const TemporaryFolder folder;
  static const Outcome made = glossa_program({"generate", "toy", "--out", folder / "toy", "--pairs", "2000"});
  REQUIRE_EQ(made.status, 0);
  return folder;
}

}  // namespace

TinyRun::TinyRun() {
  namespace fs = std::filesystem;
  fs::permissions(path(), fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                              fs::perms::others_read | fs::perms::others_exec);
  fs::copy(toy_corpus() / "toy", path() / "toy");
  write_bytes(path() / "tiny.yaml", std::regex_replace(configuration, std::regex("FOLDER"), path().string()));
}

Strings TinyRun::train_arguments(const std::string& run, const Strings& sets, const Strings& more) const {
  Strings arguments{"train", path() / "tiny.yaml", "--run", path() / run};
  for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Outcome TinyRun::train(const std::string& run, const Strings& sets, const Strings& more) const {
  return glossa_program(train_arguments(run, sets, more));
}

std::string TinyRun::write_corpus(const std::string& english, const std::string& hindi) const {
  write_bytes(path() / "corpus.en", english);
  write_bytes(path() / "corpus.hi", hindi);
  return path() / "corpus";
}

Strings TinyRun::metrics(const std::string& run) const {
  return lines_of(figures_in(read_bytes(path() / run / "metrics.jsonl")));
}

std::string TinyRun::hashes(const std::string& run) const {
  const Outcome shown = glossa_program({"inspect", path() / run / "checkpoints" / "last", "--json"});
  REQUIRE_MESSAGE(shown.status == 0, shown.err);
  auto object = json_object(shown.out);
  return object.at("update") + " " + object.at("sha256") + " " + object.at("state_sha256");
}

long TinyRun::last_update(const std::string& run) const { return std::stol(hashes(run)); }

bool wait_for_metrics(Program& program, const std::filesystem::path& run, std::size_t lines) {
  while (program.running()) {
    if (lines_of(figures_in(read_bytes(run / "metrics.jsonl"))).size() >= lines) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

std::map<std::string, std::string> json_object(const std::string& text) {
  std::map<std::string, std::string> object;
  const nlohmann::json json = nlohmann::json::parse(text);
  if (!json.is_object()) throw std::runtime_error("expected a JSON object; got " + text);
  for (const auto& [key, value] : json.items()) object[key] = value.dump();
  return object;
}

Strings lines_of(const std::string& text) {
  Strings lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Outcome succeeded(Outcome outcome) {
  REQUIRE_MESSAGE(outcome.status == 0, outcome.err);
  return outcome;
}

void check_error(const Outcome& outcome, int status, const Strings& parts) {
  CAPTURE(outcome.err);
  CHECK_EQ(outcome.status, status);
  const Strings lines = lines_of(outcome.err);
  REQUIRE_FALSE(lines.empty());
  const std::string& message = lines.back();
  CHECK(message.starts_with("glossa: ["));
  // For misuse, the expected value says what to write; a failure needs a hint.
  const bool says_what_to_do = message.find("Hint: ") != message.npos || message.find("did you mean") != message.npos ||
                               (status == 2 && message.find("expected ") != message.npos);
  CHECK(says_what_to_do);
  for (const std::string& part : parts) {
    CAPTURE(part);
    CHECK_NE(message.find(part), message.npos);
  }
}

void check_refused(const Outcome& outcome, int status, const Strings& parts) {
  check_error(outcome, status, parts);
  CHECK_EQ(lines_of(outcome.err).size(), 1);
  CHECK_EQ(outcome.out, "");
}

}  // namespace glossa::testing
