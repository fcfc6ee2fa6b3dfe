// What the program shows while it works: on a terminal, and in files and pipes, where nothing may move.
#include <doctest/doctest.h>

#include <regex>

#include "tests/integration/tiny_run.h"
#include "tests/support/pseudo_terminal.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// What glossa writes to a terminal of 100 columns as its standard error; empty where the machine has no terminals.
std::string on_terminal(Strings arguments, const std::string& input = {}) {
  PseudoTerminal terminal(100);
  if (!terminal.is_there()) {
    MESSAGE("no pseudo-terminal here");
    return "";
  }
  arguments.insert(arguments.begin(), tested_program());
  const Outcome outcome =
      run_program({.arguments = std::move(arguments), .input = input, .folder = {}, .error = terminal.descriptor()});
  CHECK_MESSAGE(outcome.status == 0, terminal.text());
  return terminal.text();
}

const std::string back = "\r\x1b[K";

/// The lines that stay on a terminal: what was drawn over is gone.
Strings lines_that_stay(const std::string& text) {
  return lines_of(std::regex_replace(text, std::regex("\r\x1b\\[K[^\r\n]*(?=\r)|\r\x1b\\[K"), ""));
}

/// Sentencepiece on the tiny corpus.
const Strings subwords{"data.tokenizer=sentencepiece", "data.shared_vocabulary=true", "data.vocab_size=200"};

}  // namespace

TEST_CASE("training on a terminal: progress with loss, speed and time left; samples; lines that fit") {
  const TinyRun tiny;
  const Strings sets{"train.validate_every=10u", "train.max_updates=20", "train.log_every=0", "decode.max_tokens=64"};
  const std::string shown = on_terminal(tiny.train_arguments("run", sets));
  if (shown.empty()) return;
  CHECK(std::regex_search(
      shown, std::regex(R"(  5% \[=* *\] update 1, epoch 0\.\d\d, loss \d\.\d{3}, \d+ tokens/s, \d+:\d\d left)")));
  CHECK(
      std::regex_search(shown, std::regex(R"(% \[=* *\] \d+ of \d+ sentences, \d+/s, \d+:\d\d left)")));  // validation
  const std::string log = read_bytes(tiny / "run/train.log");
  CHECK_EQ(log.find('\r'), std::string::npos);
  std::smatch sample;
  const std::regex first("best\n((source     .+\nreference  .+\n)output     .*\n)");
  REQUIRE(std::regex_search(log, sample, first));
  CHECK(read_bytes(tiny / "run/samples/update-00000010.txt").starts_with(sample[1].str()));
  CHECK_NE(shown.find("best\n" + sample[2].str() + "output     "), std::string::npos);
  std::size_t lines = 0;
  for (const std::string& line : lines_that_stay(shown)) {
    CAPTURE(line);
    CHECK_LE(line.size(), 100);
    ++lines;
  }
  CHECK_GT(lines, 10);
  // Elsewhere nothing is drawn, and what is said at the start fits where the names of files are short.
  const Outcome plain = succeeded(run_program({.arguments = {tested_program(), "train", "tiny.yaml", "--set",
                                                             "data.train=toy/train", "--set", "data.valid=toy/valid"},
                                               .input = {},
                                               .folder = tiny.path()}));
  CHECK_EQ(plain.err.find_first_of("\r\x1b"), std::string::npos);
  for (const std::string& line : lines_of(plain.err.substr(0, plain.err.find("] Ep. ")))) {
    CAPTURE(line);
    CHECK_LE(line.size(), 100);
  }
}

TEST_CASE("what is one is not several") {
  const TinyRun tiny;
  const Strings sets{"train.max_updates=1", "train.max_epochs=1", "train.max_minutes=1", "data.max_tokens=1000000"};
  const std::string text = succeeded(tiny.train("run", sets)).err;
  for (const char* part : {"] 1 thread of ", "] 1 batch an epoch; ", "trains until 1 update or 1 epoch or 1 minute\n",
                           " reached; 1 update, 1.00 epochs, "}) {
    CAPTURE(part);
    CHECK_NE(text.find(part), text.npos);
  }
}

TEST_CASE("translate and evaluate show on a terminal how far they are, and clear it away; elsewhere they do not") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const std::string source = tiny / "toy/test.en", set = "decode.max_tokens=1";  // a batch is a sentence
  const Strings translate{"translate", tiny / "run", "--input", source, "--set", set};
  const Strings evaluate{"evaluate",    tiny / "run",         "--source", source,
                         "--reference", tiny / "toy/test.hi", "--set",    set};
  const std::string translating = on_terminal(translate);
  if (translating.empty()) return;
  CHECK(translating.starts_with(back + "1 sentence, "));
  CHECK(translating.ends_with(back));
  CHECK_EQ(lines_that_stay(translating), Strings{});
  const std::string evaluating = on_terminal(evaluate);
  CHECK(std::regex_search(evaluating, std::regex("^\r\x1b\\[K  \\d% \\[=* *\\] 1 of \\d+ sentences, \\d+/s")));
  CHECK(evaluating.ends_with(back));
  CHECK_EQ(succeeded(glossa_program(translate)).err, "");
  CHECK_EQ(succeeded(glossa_program(evaluate)).err, "");
}

TEST_CASE("learning subwords is announced, and on a terminal shows that it goes on") {
  const TinyRun tiny;
  const std::string announced = "learning a vocabulary of at most 200 subwords from ";
  const std::string shown = on_terminal(tiny.train_arguments("run", subwords));
  if (!shown.empty())
    CHECK(std::regex_search(shown, std::regex("^" + announced +
                                              "\\d+ pairs \\.\\.\\.\n\r\x1b\\[K"
                                              "learning subwords: 0:00\r\x1b\\[K")));
  const std::string plain = succeeded(tiny.train("plain", subwords)).err;
  CHECK(plain.starts_with(announced));
  CHECK_EQ(plain.find('\r'), plain.npos);
  CHECK(succeeded(tiny.train("words")).err.starts_with("["));
  // Who cannot be told is not kept from training.
  Strings deaf = tiny.train_arguments("deaf", subwords);
  deaf.insert(deaf.begin(), {"/bin/bash", "-c", "exec \"$0\" \"$@\" 2>/dev/full", tested_program()});
  succeeded(run_program({.arguments = deaf, .input = {}, .folder = {}}));
}

TEST_CASE("a run's folder is there before its vocabulary is learnt, and gone where nothing comes of it") {
  const TinyRun tiny;
  Strings sets = subwords;
  sets.back() = "data.vocab_size=10";
  check_error(tiny.train("new/run", sets), 2, {"[data.vocab_size]", "at least "});
  CHECK_FALSE(fs::exists(tiny / "new"));
  // What is wrong with the folder is found first.
  check_refused(tiny.train("tiny.yaml/run", sets), 1, {"tiny.yaml"});
  fs::create_directory(tiny / "old");
  check_error(tiny.train("old", sets), 2, {"[data.vocab_size]"});
  CHECK(fs::exists(tiny / "old"));
}

TEST_CASE("the script `run` says what it builds, and how long that takes") {
  const TemporaryFolder folder;
  fs::copy(fs::path(GLOSSA_SOURCE_DIR) / "run", folder / "run");
  fs::create_directory(folder / "bin");
  const auto program = [&](const std::string& name, const std::string& script) {
    write_bytes(folder / "bin" / name, "#!/bin/sh\n" + script);
    fs::permissions(folder / "bin" / name, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
  };
  program("dpkg-query", "echo install ok installed\n");
  program("cmake", "echo configured\n");
  program("ninja", "echo \"ninja $*\"\n");
  const Outcome built =
      succeeded(run_program({.arguments = {"/usr/bin/env", "PATH=" + (folder / "bin").string() + ":/usr/bin:/bin",
                                           (folder / "run").string(), "build"},
                             .input = {},
                             .folder = {}}));
  const Strings lines = lines_of(built.out);
  REQUIRE_EQ(lines.size(), 4);
  CHECK_EQ(lines[0], "== configuring build with -DGLOSSA_TESTS=OFF");
  CHECK_EQ(lines[1], "== building all in build: from scratch minutes, after a change seconds");
  CHECK_EQ(lines[2], "ninja -C build --quiet");  // a terminal would see its steps
  CHECK(lines[3].starts_with("== built build in "));
}
