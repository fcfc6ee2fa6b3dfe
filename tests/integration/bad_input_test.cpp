// Wrong configurations, text files and command lines. Each is refused with a message that names it, without leaving
// half-written files.
#include <doctest/doctest.h>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// Checks that training a new run is refused and leaves no folder.
void check_no_run(const TinyRun& tiny, const Strings& sets, int status, const Strings& parts) {
  check_refused(tiny.train("run", sets), status, parts);
  CHECK_FALSE(fs::exists(tiny / "run"));
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

const std::string words = repeated("hello world\n", 30), worte = repeated("namaste vishva\n", 30);

}  // namespace

TEST_CASE("a missing corpus, configuration, input, run or checkpoint is named") {
  const TinyRun tiny;
  const std::string nowhere = tiny / "nowhere";
  check_no_run(tiny, {"data.train=" + nowhere}, 1, {"[" + nowhere + ".en]", nowhere + ".en.gz"});
  check_no_run(tiny, {"data.valid=" + nowhere}, 1, {"[" + nowhere + ".en]"});
  check_refused(glossa_program({"train", nowhere + ".yaml", "--run", tiny / "run"}), 1, {"[" + nowhere + ".yaml]"});
  check_refused(glossa_program({"translate", nowhere}), 1, {"[" + nowhere + "]", "glossa train"});
  check_refused(glossa_program({"inspect", nowhere}), 1, {"[" + nowhere + "]"});
  REQUIRE_EQ(tiny.train("trained").status, 0);
  check_refused(glossa_program({"translate", tiny / "trained", "--input", nowhere}), 1, {"[" + nowhere + "]"});
  const std::string text = tiny / "toy/test.en";
  check_refused(glossa_program({"evaluate", tiny / "trained", "--source", text, "--reference", nowhere}), 1,
                {"[" + nowhere + "]"});
}

TEST_CASE("unequal line counts are refused") {
  const TinyRun tiny;
  const std::string prefix = tiny.write_corpus(words, worte + "ek aur\n");
  check_no_run(tiny, {"data.train=" + prefix}, 1, {"[" + prefix + "]", "30 in " + prefix + ".en", "31 in"});
  REQUIRE_EQ(tiny.train("trained").status, 0);
  fs::resize_file(tiny / "trained/checkpoints/last", 100);  // texts are checked before the model
  check_refused(
      glossa_program({"evaluate", tiny / "trained", "--source", prefix + ".en", "--reference", prefix + ".hi"}), 1,
      {"[" + prefix + ".hi]", "30; got 31"});
}

TEST_CASE("an empty corpus is refused, and one without usable pairs") {
  const TinyRun tiny;
  check_no_run(tiny, {"data.train=" + tiny.write_corpus("", "")}, 1, {"corpus]", "0 pairs from 0 lines"});
  check_no_run(tiny, {"data.train=" + tiny.write_corpus("\n\n", "a\n\n")}, 1,
               {"corpus]", "left out: empty 2 (1 source, 1 on both sides)"});
  check_no_run(tiny, {"data.train=" + tiny.write_corpus(words, worte), "data.max_length=2"}, 1,
               {"corpus]", "left out: length 30", "data.max_length"});
}

TEST_CASE("an unknown key is refused, in the file and on the command line") {
  const TinyRun tiny;
  write_bytes(tiny / "tiny.yaml", "data:\n  train: toy:2000\nmodel:\n  hedas: 2\n");
  check_no_run(tiny, {}, 2, {"tiny.yaml:4]", "'model.hedas'", "did you mean 'model.heads'?"});
  const TinyRun other;
  check_no_run(other, {"modle.heads=2"}, 2, {"[--set modle.heads=2]", "did you mean 'model.heads'?"});
  check_no_run(other, {"train.quux=2"}, 2, {"[--set train.quux=2]", "'train.quux'"});
}

TEST_CASE("heads that do not divide the width are refused") {
  check_no_run(TinyRun(), {"model.heads=3"}, 2, {"[model.heads]", "model.width (16)", "2 and 4 divide it"});
}

TEST_CASE("a line of 2 MB is refused, in a corpus and for translation") {
  const TinyRun tiny;
  const std::string line(2'000'000, 'a');
  const std::string prefix = tiny.write_corpus(words + line + "\n", worte + "x\n");
  check_no_run(tiny, {"data.train=" + prefix}, 1, {"[" + prefix + ".en:31]", "1048576 bytes", "got 2000000"});
  REQUIRE_EQ(tiny.train("trained").status, 0);
  check_refused(glossa_program({"translate", tiny / "trained", "--input", prefix + ".en", "--on-bad-line", "stop"}), 1,
                {"[" + prefix + ".en:31]"});
}

TEST_CASE("a line of exactly 1,000,000 bytes is left out and counted in training") {
  const TinyRun tiny;
  const std::string line = repeated("a ", 500'000);
  REQUIRE_EQ(line.size(), 1'000'000);
  const std::string prefix = tiny.write_corpus(words + line + "\n", worte + "x\n");
  REQUIRE_EQ(tiny.train("run", {"data.train=" + prefix}).status, 0);
  CHECK_NE(read_bytes(tiny / "run/train.log").find("\n    left out: length 1 (first: line 31)\n"), std::string::npos);
}

TEST_CASE("invalid UTF-8 is refused with file, line and byte, or replaced on request") {
  const TinyRun tiny;
  const std::string prefix = tiny.write_corpus(words + "he\xFF sleeps\n", worte + "vah sota hai\n");
  check_no_run(tiny, {"data.train=" + prefix}, 1, {"[" + prefix + ".en:31:3]", "0xff", "data.invalid_utf8: replace"});
  REQUIRE_EQ(tiny.train("run", {"data.train=" + prefix, "data.invalid_utf8=replace"}).status, 0);
  CHECK_NE(read_bytes(tiny / "run/train.log").find("1 invalid UTF-8 sequence replaced"), std::string::npos);
  REQUIRE_EQ(tiny.train("strict").status, 0);
  check_refused(glossa_program({"translate", tiny / "strict", "--on-bad-line", "stop"}, "hello\n\xC3\x28\n"), 1,
                {"[standard input:2:1]", "data.invalid_utf8: replace"});
  const Strings replacing{"translate", tiny / "strict", "--set", "data.invalid_utf8=replace"};  // as the hint says
  CHECK_EQ(lines_of(succeeded(glossa_program(replacing, "hello\n\xC3\x28\n")).out).size(), 2);
}

TEST_CASE("without <unk>, an unknown token is named with its file and line") {
  const TinyRun tiny;
  const std::string train = tiny.write_corpus(words, worte);
  write_bytes(tiny / "valid.en", "hello\nhello\n");
  write_bytes(tiny / "valid.hi", "namaste\nnamaste zebra\n");
  const Strings sets{"data.train=" + train, "data.unk_id=-1", "data.valid="};
  Strings with_validation = sets;
  with_validation.back() += tiny / "valid";
  check_no_run(tiny, with_validation, 1, {"[" + (tiny / "valid.hi:2").string() + "]", "`zebra`"});
  REQUIRE_EQ(tiny.train("run", sets).status, 0);
  check_refused(glossa_program({"translate", tiny / "run", "--on-bad-line", "stop"}, "hello\nzebra\n"), 1,
                {"[standard input:2]", "`zebra`"});
  check_refused(glossa_program({"evaluate", tiny / "run", "--test", tiny / "valid", "--on-bad-line", "stop"}), 1,
                {"[" + (tiny / "valid.hi:2").string() + "]", "`zebra`"});
}

TEST_CASE("a folder in place of a file is refused, and a file in place of a folder") {
  const TinyRun tiny;
  const std::string toy = tiny / "toy";
  fs::create_directory(tiny / "corpus.en");
  write_bytes(tiny / "corpus.hi", worte);
  check_no_run(tiny, {"data.train=" + (tiny / "corpus").string()}, 1, {"corpus.en]", "directory"});
  check_refused(glossa_program({"train", toy, "--run", tiny / "run"}), 2,
                {"[" + toy + "] expected a YAML file as CONFIG; got a folder"});
  check_refused(glossa_program({"inspect", toy}), 1, {"[" + toy + "] expected a run folder"});
  check_refused(tiny.train("tiny.yaml"), 1, {"tiny.yaml]"});
  check_refused(glossa_program({"translate", tiny / "tiny.yaml"}), 1, {"tiny.yaml]"});
  check_refused(glossa_program({"inspect", tiny / "tiny.yaml"}), 1,
                {"tiny.yaml]", "another kind of file", "RUN/checkpoints/last"});
  check_refused(glossa_program({"generate", "toy", "--out", tiny / "tiny.yaml", "--pairs", "100"}), 1, {"tiny.yaml]"});
  REQUIRE_EQ(tiny.train("trained").status, 0);
  check_refused(glossa_program({"translate", tiny / "trained", "--input", toy}), 1, {"[" + toy + "]"});
}

TEST_CASE("too many or too few pairs of the toy language are refused") {
  const TinyRun tiny;
  check_no_run(tiny, {"data.train=toy:90000000", "data.valid="}, 2, {"[data.train]", "got 90000000"});
  check_no_run(tiny, {"data.valid=toy:1"}, 2, {"[data.valid]", "got 1"});
  check_refused(glossa_program({"generate", "toy", "--out", tiny / "out", "--pairs", "90000000"}), 2,
                {"[--pairs]", "got 90000000"});
  check_refused(glossa_program({"generate", "toy", "--out", tiny / "out", "--pairs", "-1"}), 2, {"got -1"});
  CHECK_FALSE(fs::exists(tiny / "out"));
}

TEST_CASE("a changed key on --resume is refused with both values") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run").status, 0);
  const std::string hashes = tiny.hashes("run"), config = read_bytes(tiny / "run/config.yaml");
  check_refused(tiny.resume("run", {"model.width=32"}), 2, {"[model.width]", "expected 16", "got 32"});
  check_refused(tiny.resume("run", {"train.seed=7"}), 2, {"[train.seed]", "expected 1", "got 7"});
  CHECK_EQ(tiny.hashes("run"), hashes);
  CHECK_EQ(read_bytes(tiny / "run/config.yaml"), config);
}

TEST_CASE("other data on --resume is refused, for training and for validation") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run").status, 0);
  const std::string hashes = tiny.hashes("run");
  for (const char* name : {"toy/train.en", "toy/valid.hi"}) {
    const std::string text = read_bytes(tiny / name);
    write_bytes(tiny / name, "hello" + text.substr(text.find('\n')));
    check_refused(tiny.resume("run", {"train.max_updates=40"}), 1,
                  {"[data.train]", "toy/train or data.valid has changed"});
    write_bytes(tiny / name, text);
  }
  CHECK_EQ(tiny.hashes("run"), hashes);
}

TEST_CASE("a table not named .tsv is refused, with a hint") {
  const TinyRun tiny;
  write_bytes(tiny / "pairs.csv", "hello\tnamaste\n");
  check_no_run(tiny, {"data.train=" + (tiny / "pairs.csv").string()}, 2, {"pairs.csv]", "(.tsv)"});
}

TEST_CASE("wrong command lines exit with 2 and name the mistake") {
  const TinyRun tiny;
  check_refused(glossa_program({}), 2, {"[command line]", "subcommand"});
  check_refused(glossa_program({"trian"}), 2, {"[command line]", "'trian'; did you mean 'train'?"});
  check_refused(glossa_program({"help", "trian"}), 2, {"[command line]", "'trian'; did you mean 'train'?"});
  check_refused(glossa_program({"generate", "leap"}), 2, {"[command line]", "'leap'", "glossa generate --help"});
  check_refused(glossa_program({"train"}), 2, {"[command line]", "CONFIG"});
  check_refused(glossa_program({"translate"}), 2, {"[command line]", "RUN"});
  check_refused(glossa_program({"evaluate"}), 2, {"[command line]", "RUN"});
  check_refused(glossa_program({"evaluate", "run", "--source", "a"}), 2, {"[command line]", "--reference"});
  check_refused(glossa_program({"score", "run", "--source", "a"}), 2, {"[command line]", "--target"});
  check_refused(glossa_program({"inspect"}), 2, {"[command line]", "RUN"});
  check_refused(glossa_program({"translate", "run", "--beam", "0"}), 2, {"[command line]", "--beam"});
  check_refused(glossa_program({"train", "a.yaml", "--rnu", "b"}), 2, {"[command line]", "did you mean '--run'?"});
  check_refused(glossa_program({"train", "a.yaml", "--lr", "0.1", "b"}), 2, {"'--lr'", "'--set optim.lr=0.1'"});
  check_refused(glossa_program({"train", "--lr=0.1"}), 2, {"'--lr'", "'--set optim.lr=0.1'"});
  check_refused(glossa_program({"train", "a.yaml", "--lr", "--resume"}), 2, {"'--set optim.lr=VALUE'"});
  check_refused(glossa_program({"train", "a.yaml", "--set", "a=1", "b=2"}), 2, {"'--set b=2'"});
  for (const Strings& words : {Strings{"data.train", "=", "x"}, {"data.train", "=x"}, {"data.train=", "x"}}) {
    Strings command{"train", "a.yaml", "--set"};
    command.insert(command.end(), words.begin(), words.end());
    check_refused(glossa_program(command), 2,
                  {"did you mean '--set data.train=x'? Hint: section.key=value is one word"});
  }
  check_refused(glossa_program({"train", "--resume", "auto", "a.yaml"}), 2, {"did you mean '--resume=auto'?"});
  check_refused(glossa_program({"train", "a.yaml", "--resume", "auto"}), 2, {"did you mean '--resume=auto'?"});
  check_refused(glossa_program({"--set", "a=1", "train", "a.yaml"}), 2, {"did you mean 'glossa train --set ...'?"});
  check_refused(glossa_program({"train", tiny / "tinny.yaml"}), 1,
                {"Hint: did you mean " + (tiny / "tiny.yaml").string()});
  check_refused(glossa_program({"train", "a.yaml", "--device", "cuda"}), 2,
                {"'--device'. Hint: glossa runs on the CPU"});
  check_refused(glossa_program({"translate", "run", "--num-beams", "4"}), 2, {"'--beam'"});
  check_refused(glossa_program({"translate", "run", "--lr", "4"}), 2, {"'--lr'. Hint: glossa translate --help"});
  check_refused(glossa_program({"inspect", "a", "--jsn"}), 2, {"'--json'"});
  check_no_run(tiny, {"model.width"}, 2, {"[--set model.width]", "section.key=value"});
  check_no_run(tiny, {"model.width=wide"}, 2, {"[--set model.width=wide]", "'wide'"});
}

TEST_CASE("help prints what --help prints, for the program and for a command") {
  for (const Strings& command : {Strings{}, Strings{"train"}, Strings{"generate", "toy"}}) {
    Strings asked{"help"}, option = command;
    asked.insert(asked.end(), command.begin(), command.end());
    option.push_back("--help");
    const std::string text = succeeded(glossa_program(asked)).out;
    CHECK_EQ(text, succeeded(glossa_program(option)).out);
    CHECK_NE(text.find(command.empty() ? "translate" : "OPTIONS"), text.npos);
  }
}
