// Output during work: on a terminal, and in files and pipes, where nothing may be redrawn.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <map>
#include <regex>

#include "tests/integration/tiny_run.h"
#include "tests/support/pseudo_terminal.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// The output of glossa on a terminal of 100 columns as its standard error; empty if the machine has no terminals.
/// `environment` has additional variables.
std::string on_terminal(Strings arguments, const Strings& environment = {}, int status = 0) {
  PseudoTerminal terminal(100);
  if (!terminal.is_there()) {
    MESSAGE("skipped: this machine has no pseudo-terminals");
    return "";
  }
  Strings words{"/usr/bin/env"};
  words.insert(words.end(), environment.begin(), environment.end());
  words.push_back(tested_program());
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Outcome outcome =
      run_program({.arguments = std::move(words), .input = {}, .folder = {}, .error = terminal.descriptor()});
  CHECK_MESSAGE(outcome.status == status, terminal.text());
  return terminal.text();
}

const std::string back = "\r\x1b[K";

/// The lines that stay on a terminal, without what was redrawn and without colors.
Strings lines_that_stay(const std::string& text) {
  return lines_of(std::regex_replace(text, std::regex("\r\x1b\\[K[^\r\n]*(?=\r)|\r\x1b\\[K|\x1b\\[[0-9]+m"), ""));
}

/// The commands in a help text, each with its heading.
std::map<std::string, std::string> commands_of(const std::string& help) {
  std::map<std::string, std::string> commands;
  std::string head;
  for (const std::string& line : lines_of(help)) {
    if (line.ends_with(':')) head = line.substr(0, line.size() - 1);
    std::smatch name;
    if (head != "Options" && std::regex_search(line, name, std::regex("^  ([a-z]+) "))) commands[name[1]] = head;
  }
  return commands;
}

/// Sentencepiece on the tiny corpus.
const Strings subwords{"data.tokenizer=sentencepiece", "data.shared_vocabulary=true", "data.vocab_size=200"};

}  // namespace

TEST_CASE("training on a terminal shows progress with loss, speed and time left, and samples, in lines that fit") {
  const TinyRun tiny;
  const Strings sets{"train.validate_every=10u", "train.max_updates=20", "train.log_every=0", "decode.max_tokens=64"};
  const std::string shown = on_terminal(tiny.train_arguments("run", sets));
  if (shown.empty()) return;
  CHECK(std::regex_search(
      shown, std::regex(R"(  5% \[=* *\] update 1, epoch 0\.\d\d, loss \d\.\d{3}, \d+ tokens/s, \d+:\d\d left)")));
  CHECK(std::regex_search(shown, std::regex(R"(, \d+:\d\d left, validation in \d+:\d\d\r)")));
  CHECK(
      std::regex_search(shown, std::regex(R"(% \[=* *\] \d+ of \d+ sentences, \d+/s, \d+:\d\d left)")));  // validation
  const std::string log = read_bytes(tiny / "run/train.log");
  CHECK_EQ(log.find_first_of("\r\x1b"), std::string::npos);
  CHECK_NE(shown.find(" : \x1b[32mnew best\x1b[0m loss\nsource  "), std::string::npos);
  std::smatch sample;
  const std::regex first("best loss\n((source     .+\nreference  .+\n)output     .*\n)");
  REQUIRE(std::regex_search(log, sample, first));
  CHECK(read_bytes(tiny / "run/samples/update-00000010.txt").starts_with(sample[1].str()));
  CHECK_NE(shown.find("best\x1b[0m loss\n" + sample[2].str() + "output     "), std::string::npos);
  std::size_t lines = 0;
  for (const std::string& line : lines_that_stay(shown)) {
    CAPTURE(line);
    CHECK_LE(line.size(), 100);
    ++lines;
  }
  CHECK_GT(lines, 10);
  // Elsewhere nothing is redrawn, and the first lines fit if file names are short.
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

TEST_CASE("a terminal shows colors unless NO_COLOR is set; a dumb one gets only whole lines") {
  const TinyRun tiny;
  const Strings wrong = tiny.train_arguments("wrong", {"train.accumulat=1"});
  const std::string error = on_terminal(wrong, {}, 2);
  if (error.empty()) return;
  CHECK_EQ(error.find("\x1b[31mglossa:\x1b[0m "), 0);
  for (const char* setting : {"NO_COLOR=1", "TERM=dumb"}) {
    CAPTURE(setting);
    CHECK_EQ(on_terminal(wrong, {setting}, 2).find("glossa: ["), 0);
    const std::string training =
        on_terminal(tiny.train_arguments(setting, {"train.max_updates=4", "train.validate_every=2u"}), {setting});
    CHECK_NE(training.find(" : new best loss\n"), training.npos);
    CHECK_FALSE(std::regex_search(training, std::regex("\x1b\\[[0-9]+m")));
    CHECK_EQ(training.find('\x1b') == training.npos, setting == std::string("TERM=dumb"));
  }
  CHECK(on_terminal(wrong, {"NO_COLOR="}, 2).starts_with("\x1b"));  // empty counts as unset
}

TEST_CASE("control characters of files and names are shown escaped, on a terminal and in the log") {
  const TinyRun tiny;
  const std::string name = "\x1b[2J\u202ename", shown = R"(\x1b[2J\u202ename)";
  write_bytes(tiny / "key.yaml", read_bytes(tiny / "tiny.yaml") + R"("\e[2J\u202ename": 1)");
  const Strings of_key{"train", tiny / "key.yaml"},
      of_value = tiny.train_arguments("bad", {"data.lowercase=" + name + "\nglossa: fine"});
  for (const Strings& arguments : {of_key, of_value}) {
    const std::string error = on_terminal(arguments, {}, 2);
    if (error.empty()) return;
    CAPTURE(error);
    CHECK(error.starts_with("\x1b[31mglossa:\x1b[0m "));
    CHECK_NE(error.find(shown), error.npos);
    CHECK_EQ(error.find_first_of("\x1b\n", 17), error.size() - 1);  // no more than one line's end
  }
  for (const std::string side : {".en", ".hi"}) fs::copy(tiny / ("toy/train" + side), tiny / (name + side));
  const Strings sets{"data.train=" + (tiny / name).string(), "train.max_updates=1"};
  const std::string trained = on_terminal(tiny.train_arguments("run", sets)), log = read_bytes(tiny / "run/train.log");
  for (const std::string& text : {trained, log}) {
    CAPTURE(text);
    CHECK_NE(text.find(shown), text.npos);
    CHECK_EQ(text.find("\x1b[2J"), text.npos);
  }
}

TEST_CASE("-q prints only warnings and errors, -v prints more, and neither changes a result") {
  const TinyRun tiny;
  const std::string twice = fmt::format("data.train=[{0}, {0}]", (tiny / "toy/train").string());  // once is a warning
  const Strings sets{"data.tokenizer=sentencepiece",
                     "data.vocab_size=200",
                     "train.max_updates=4",
                     "train.validate_every=2u",
                     "data.lowercase=true",
                     "optim.warmup=2",
                     twice};
  const Outcome quiet = succeeded(tiny.train("quiet", sets, {"-q"})), usual = succeeded(tiny.train("usual", sets)),
                verbose = succeeded(tiny.train("verbose", sets, {"-v"}));
  CHECK_EQ(quiet.err, "");
  CHECK_EQ(on_terminal(tiny.train_arguments("terminal", sets, {"--quiet"})), "");
  // Warnings about doubtful settings stay.
  const Outcome doubtful = succeeded(tiny.train("doubtful", {"train.max_updates=4"}, {"-q"}));
  CHECK_NE(doubtful.err.find("] warning: train.max_updates ends training after 4 updates, within optim.warmup"),
           std::string::npos);
  CHECK_EQ(tiny.hashes("quiet"), tiny.hashes("usual"));
  CHECK_EQ(tiny.hashes("verbose"), tiny.hashes("usual"));
  CHECK_NE(read_bytes(tiny / "quiet/train.log").find(" : new best loss\n"), std::string::npos);
  CHECK_EQ(usual.err.find("] configuration\n"), std::string::npos);
  CHECK_NE(verbose.err.find("] configuration\n# "), std::string::npos);
  CHECK_EQ(read_bytes(tiny / "verbose/train.log").find("] configuration\n"), std::string::npos);
  CHECK(std::regex_search(verbose.err,
                          std::regex("\nnote: train took \\d+\\.\\d s and at most \\d+ MiB, with \\d+ thread")));

  // A warning stays, and so does the error that counts the lines.
  const std::string good = "the boy eats\n", bad = "\xff\n";
  const auto translate = [&](const Strings& more) {
    Strings words{"translate", tiny / "usual"};
    words.insert(words.end(), more.begin(), more.end());
    return glossa_program(words, good + bad + "☃\n");
  };
  const Outcome translated = translate({}), translated_quietly = translate({"-q"}),
                translated_verbosely = translate({"-v"});
  CHECK_EQ(translated.out, translated_quietly.out);
  CHECK_EQ(translated.out, translated_verbosely.out);
  for (const Outcome& outcome : {translated, translated_quietly, translated_verbosely}) {
    CHECK_EQ(outcome.status, 1);
    CHECK_NE(outcome.err.find("warning: [standard input:2"), std::string::npos);
    CHECK_NE(outcome.err.find("\nglossa: [standard input] 1 of 3 lines not translated"), std::string::npos);
  }
  CHECK_EQ(translated_quietly.err.find("note:"), std::string::npos);
  CHECK_NE(translated.err.find("note: 1 unknown word in 1 line, 1 distinct, read as <unk>; -v lists them\n"),
           std::string::npos);
  CHECK_NE(translated_verbosely.err.find("note: [standard input:3] unknown: "), std::string::npos);
  CHECK_NE(translated_verbosely.err.find("usual/checkpoints/update-00000004.ckpt\n"), std::string::npos);
  check_refused(glossa_program({"options", "-q", "-v"}), 2, {"[command line]", "--verbose", "--quiet"});
}

TEST_CASE("-q still reports a refused update") {
  const TinyRun tiny;
  const std::string err =
      tiny.train("run",
                 {"optim.name=sgd", "optim.lr=1000", "optim.clip_norm=0", "optim.schedule=constant", "optim.warmup=0",
                  "train.max_updates=60", "train.max_bad_updates=2", "train.validate_every=0"},
                 {"-q"})
          .err;
  CHECK(std::regex_search(err, std::regex("(^|\n)\\[[^\\]]*\\] update \\d+ skipped: ")));
  CHECK_EQ(err.find("] Ep. "), err.npos);
}

TEST_CASE("help lists every command under a heading, and every command takes -q and -v") {
  const auto commands = commands_of(glossa_program({"--help"}).out);
  CHECK_GT(commands.size(), 10);
  CHECK_EQ(commands.at("train"), "Train");
  CHECK_EQ(commands.at("translate"), "Translate");
  CHECK_EQ(commands.at("export"), "Exchange");
  for (const auto& row : commands) {
    const auto& command = row.first;
    const auto& head = row.second;
    CAPTURE(command);
    CHECK_NE(head, "Subcommands");
    const std::string help = glossa_program({command, "--help"}).out;
    auto ends = commands_of(help);
    if (ends.empty()) ends[""] = "";
    for (const auto& [end, _] : ends) {
      Strings words{command};
      if (!end.empty()) words.push_back(end);
      words.push_back("--help");
      const std::string text = glossa_program(words).out;
      CHECK_NE(text.find("-q,--quiet"), text.npos);
      CHECK_NE(text.find("-v,--verbose"), text.npos);
    }
  }
}

TEST_CASE("a count of one is printed in the singular") {
  const TinyRun tiny;
  const Strings sets{"train.max_updates=1", "train.max_epochs=1", "train.max_minutes=1", "data.max_tokens=1000000"};
  const std::string text = succeeded(tiny.train("run", sets)).err;
  for (const char* part : {"] 1 thread of ", "] 1 batch per epoch, ", "trains until 1 update or 1 epoch or 1 minute\n",
                           " reached; 1 update, 1.00 epochs, "}) {
    CAPTURE(part);
    CHECK_NE(text.find(part), text.npos);
  }
}

TEST_CASE("translate and evaluate show progress on a terminal and clear it; elsewhere they do not") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const std::string source = tiny / "toy/test.en", set = "decode.max_tokens=1";  // one sentence per batch
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

TEST_CASE("learning subwords is announced, and shows progress on a terminal") {
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
  // A standard error that cannot be written does not stop training.
  Strings deaf = tiny.train_arguments("deaf", subwords);
  deaf.insert(deaf.begin(), {"/bin/bash", "-c", "exec \"$0\" \"$@\" 2>/dev/full", tested_program()});
  succeeded(run_program({.arguments = deaf, .input = {}, .folder = {}}));
}

TEST_CASE("a run's folder is created before its vocabulary is learned, and removed if the run fails") {
  const TinyRun tiny;
  Strings sets = subwords;
  sets.back() = "data.vocab_size=10";
  check_error(tiny.train("new/run", sets), 2, {"[data.vocab_size]", "at least "});
  CHECK_FALSE(fs::exists(tiny / "new"));
  // Problems with the folder are found first.
  check_refused(tiny.train("tiny.yaml/run", sets), 1, {"tiny.yaml"});
  fs::create_directory(tiny / "old");
  check_error(tiny.train("old", sets), 2, {"[data.vocab_size]"});
  CHECK(fs::exists(tiny / "old"));
}

namespace {

/// The script `run` in its own folder, with stand-ins for the programs that it calls.
struct RunScript {
  TemporaryFolder folder;

  RunScript() {
    fs::create_directory(folder / "cmake");
    for (const char* file : {"run", "cmake/packages.txt"}) fs::copy(fs::path(GLOSSA_SOURCE_DIR) / file, folder / file);
    fs::create_directory(folder / "bin");
  }

  void program(const std::string& name, const std::string& script) const {
    write_bytes(folder / "bin" / name, "#!/bin/sh\n" + script);
    fs::permissions(folder / "bin" / name, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);
  }

  Outcome run(const std::string& command) const {
    return run_program({.arguments = {"/usr/bin/env", "PATH=" + (folder / "bin").string() + ":/usr/bin:/bin",
                                      (folder / "run").string(), command},
                        .input = {},
                        .folder = {}});
  }
};

}  // namespace

TEST_CASE("`./run build` prints what it builds, and how long that takes") {
  const RunScript script;
  script.program("dpkg-query", "echo install ok installed\n");
  script.program("cmake", "echo configured\n");
  script.program("ninja", "echo \"ninja $*\"\n");
  const Strings lines = lines_of(succeeded(script.run("build")).out);
  REQUIRE_EQ(lines.size(), 4);
  CHECK_EQ(lines[0], "== configuring build");
  CHECK_EQ(lines[1], "== building glossa glossa_texts in build (minutes from scratch, seconds after a change)");
  CHECK_EQ(lines[2], "ninja -C build --quiet glossa glossa_texts");  // a terminal would see its steps
  CHECK(lines[3].starts_with("== built build in "));
}

TEST_CASE("`./run check` installs nothing: missing packages are misuse, and the error names `./run build`") {
  const RunScript script;
  script.program("dpkg-query", "exit 1\n");
  script.program("apt-get", "echo apt-get was called\n");
  const Outcome outcome = script.run("check");
  CHECK_EQ(outcome.status, 2);
  CHECK_EQ(outcome.out, "");
  CHECK(outcome.err.starts_with("missing packages: "));
  CHECK_NE(outcome.err.find(" make cmake "), std::string::npos);
  CHECK_NE(outcome.err.find("Hint: ./run build installs them"), std::string::npos);
}
