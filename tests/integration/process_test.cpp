// The program as a process: signals, and two trainers in one folder.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

Launch glossa_launch(Strings arguments) {
  arguments.insert(arguments.begin(), tested_program());
  return {.arguments = std::move(arguments), .input = {}, .folder = {}};
}

/// The blocked signals of each thread of a process, as bits.
std::vector<unsigned long> blocked_signals(pid_t pid) {
  std::vector<unsigned long> masks;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task"))
    for (const std::string& line : lines_of(read_bytes(task.path() / "status")))
      if (line.starts_with("SigBlk:")) masks.push_back(std::stoul(line.substr(7), nullptr, 16));
  return masks;
}

/// A corpus whose English side is a pipe: a trainer that reads it waits until the test writes.
class PipedCorpus {
 public:
  explicit PipedCorpus(const TinyRun& tiny) : prefix_(tiny.write_corpus("", "namaste vishva\naap kaise ho\n")) {
    fs::remove(prefix_ + ".en");
    REQUIRE_EQ(mkfifo((prefix_ + ".en").c_str(), 0600), 0);
  }
  ~PipedCorpus() { close(pipe_); }
  PipedCorpus(const PipedCorpus&) = delete;
  PipedCorpus& operator=(const PipedCorpus&) = delete;

  const std::string& prefix() const { return prefix_; }

  /// Waits until the program reads the corpus.
  void wait_for_reader(Program& program) {
    while (pipe_ == -1 && program.running()) {
      pipe_ = open((prefix_ + ".en").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    REQUIRE_NE(pipe_, -1);
  }

  void finish() {
    const std::string text = "hello world\nhow are you\n";
    REQUIRE_EQ(write(pipe_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(std::exchange(pipe_, -1));
  }

 private:
  std::string prefix_;
  int pipe_ = -1;
};

}  // namespace

TEST_CASE("signals that training handles are blocked in every thread but one") {
  const TinyRun tiny;
  Program program(glossa_launch(tiny.train_arguments("run", {"train.max_updates=1000000", "runtime.threads=4"})));
  REQUIRE(wait_for_metrics(program, tiny / "run", 1));
  const std::vector<unsigned long> masks = blocked_signals(program.pid());
  CHECK_GE(masks.size(), 3);  // the main thread, the one for signals, workers
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    CAPTURE(signal);
    CHECK_EQ(std::ranges::count_if(masks, [&](unsigned long mask) { return (mask >> (signal - 1) & 1) == 0; }), 1);
  }
  program.signal(SIGTERM);
  CHECK_EQ(program.wait().status, 0);
}

TEST_CASE("a signal before the first update ends the program at once, with one line, and leaves nothing") {
  const TinyRun tiny;
  PipedCorpus corpus(tiny);
  Program reading(glossa_launch(tiny.train_arguments("run", {"data.train=" + corpus.prefix()})));
  corpus.wait_for_reader(reading);
  reading.signal(SIGTERM);
  const Outcome outcome = reading.wait();
  CHECK_EQ(outcome.status, 128 + SIGTERM);
  CHECK_EQ(outcome.err, "glossa: stopped by SIGTERM\n");
  CHECK_FALSE(fs::exists(tiny / "run"));

  // While the vocabulary is learned, the run's folder exists.
  Program learning(glossa_launch(tiny.train_arguments(
      "new/run", {"data.train=toy:20000", "data.valid=", "data.tokenizer=sentencepiece", "data.vocab_size=2000"})));
  while (learning.running() && !fs::exists(tiny / "new/run")) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  learning.signal(SIGINT);
  const Outcome learned = learning.wait();
  CHECK_EQ(learned.status, 130);
  CHECK(learned.err.ends_with("glossa: stopped by SIGINT\n"));
  CHECK_FALSE(fs::exists(tiny / "new"));
}

TEST_CASE("SIGUSR1 before the first update saves after it") {
  const TinyRun tiny;
  PipedCorpus corpus(tiny);
  const Strings sets{"data.train=" + corpus.prefix(), "train.max_updates=3", "train.save_every=0"};
  Program program(glossa_launch(tiny.train_arguments("run", sets)));
  corpus.wait_for_reader(program);
  program.signal(SIGUSR1);
  corpus.finish();
  succeeded(program.wait());
  CHECK(names_in(tiny / "run/checkpoints") == Strings{"last", "update-00000001.ckpt", "update-00000003.ckpt"});
}

TEST_CASE("Ctrl-C in translate leaves whole lines") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run").status, 0);
  std::string text;
  while (text.size() < 500'000) text += read_bytes(tiny / "toy/test.en");
  Program program({.arguments = {tested_program(), "translate", tiny / "run"}, .input = text, .folder = {}});
  while (program.running() && program.printed().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  program.signal(SIGINT);
  const Outcome outcome = program.wait();
  CHECK_EQ(outcome.status, 130);
  CHECK(outcome.out.ends_with('\n'));
  CHECK(outcome.err.ends_with("glossa: stopped by SIGINT\n"));
}

TEST_CASE("Ctrl-C in translate --output keeps what was translated") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run").status, 0);
  std::string text;
  while (text.size() < 1'000'000) text += read_bytes(tiny / "toy/test.en");
  const fs::path part = tiny / "out.part";
  for (auto delay = std::chrono::milliseconds(100); !fs::exists(part); delay *= 2) {
    Program program({.arguments = {tested_program(), "translate", tiny / "run", "--output", tiny / "out"},
                     .input = text,
                     .folder = {}});
    std::this_thread::sleep_for(delay);
    program.signal(SIGINT);
    const Outcome outcome = program.wait();
    REQUIRE_EQ(outcome.status, 130);
    CHECK_FALSE(fs::exists(tiny / "out"));
    CHECK_EQ(outcome.err.find("out.part has the first ") != std::string::npos, fs::exists(part));
  }
  const std::string kept = read_bytes(part);
  CHECK(kept.ends_with('\n'));
  const Strings first = lines_of(text);
  CHECK_EQ(kept.substr(0, kept.find('\n') + 1),
           succeeded(glossa_program({"translate", tiny / "run"}, first[0] + "\n")).out);
}

TEST_CASE("a trainer that prepared its data while another finished in its folder overwrites nothing") {
  for (const Strings& more : {Strings{}, Strings{"--resume=auto"}}) {
    const TinyRun tiny;
    PipedCorpus corpus(tiny);
    Program late(glossa_launch(tiny.train_arguments("run", {"data.train=" + corpus.prefix()}, more)));
    corpus.wait_for_reader(late);
    REQUIRE_EQ(tiny.train("run").status, 0);
    const std::string hashes = tiny.hashes("run"), config = read_bytes(tiny / "run/config.yaml");
    corpus.finish();
    check_refused(late.wait(), 2, {"[" + (tiny / "run").string() + "]", "got one with checkpoints", "--resume"});
    CHECK_EQ(tiny.hashes("run"), hashes);
    CHECK_EQ(read_bytes(tiny / "run/config.yaml"), config);
  }
}
