// Runs that are refused because they look like mistakes, and text that is longer than a run's training text.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <filesystem>

#include "tests/integration/served_run.h"
#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// Checks that training is refused unless the mistake is allowed, and that the allowed run resumes without --allow.
void check_mistake(const TinyRun& tiny, const std::string& mistake, const Strings& sets) {
  CAPTURE(mistake);
  check_refused(tiny.train(mistake, sets), 2, {"--allow " + mistake});
  CHECK_FALSE(fs::exists(tiny / mistake));
  succeeded(tiny.train(mistake, sets, {"--allow", mistake}));
  const std::string allowed = "allow: [few-pairs, " + mistake + "]";  // TinyRun allows few pairs
  CHECK_NE(read_bytes(tiny.path() / mistake / "config.yaml").find(allowed), std::string::npos);
  Strings further = sets;
  further.push_back("train.max_updates=25");
  CHECK_NE(succeeded(tiny.resume(mistake, further)).err.find("resumed at update 20"), std::string::npos);
  CHECK_NE(read_bytes(tiny.path() / mistake / "config.yaml").find(allowed), std::string::npos);
}

/// Lines of text with a number of words each.
std::string lines_of_words(int lines, int words) {
  std::string text;
  for (int i = 0; i < lines; ++i) {
    for (int k = 0; k < words; ++k) text += "we ";
    text += "eat\n";
  }
  return text;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++times;
  return times;
}

const std::string too_long = "95 % of the training text has at most ";

}  // namespace

TEST_CASE("fine-tuning in the opposite direction is refused unless allowed; a regional name is not noted") {
  const TinyRun tiny;
  succeeded(tiny.train("base"));
  const std::string warm = "train.warm_start=" + (tiny / "base").string();
  check_mistake(tiny, "wrong-direction", {warm, "data.source=hi", "data.target=en"});
  for (const char* side : {"train", "valid"})
    fs::copy_file(tiny / fmt::format("toy/{}.hi", side), tiny / fmt::format("toy/{}.hi-IN", side));
  const Outcome variant = succeeded(tiny.train("variant", {warm, "data.target=hi-IN"}));
  CHECK_EQ(variant.err.find("translates en to hi"), std::string::npos);
}

TEST_CASE(
    "equal sides, equal languages, validation on training text and exchanged columns are refused unless allowed") {
  const TinyRun tiny;
  const std::string english = read_bytes(tiny / "toy/train.en");
  check_mistake(tiny, "same-text", {"data.train=" + tiny.write_corpus(english, english)});
  check_mistake(tiny, "valid-is-train", {"data.valid=" + (tiny / "toy/train").string()});

  std::string table, german = "the house is red\tdas Haus ist rot\n";
  for (int i = 0; i < 30; ++i) table += std::to_string(i) + " " + german;
  write_bytes(tiny / "pairs.tsv", table);
  const std::string pairs = "data.train=" + (tiny / "pairs.tsv").string();
  check_mistake(tiny, "swapped-sides", {pairs, "data.valid=", "data.source=de", "data.target=en"});
  succeeded(tiny.train("right", {pairs, "data.valid=", "data.source=de", "data.target=en", "data.source_column=1",
                                 "data.target_column=0"}));
  check_mistake(tiny, "same-languages", {pairs, "data.valid=", "data.source=en", "data.target=en"});
}

TEST_CASE("three pairs are refused unless allowed") {
  const TinyRun tiny;
  const std::string three = "data.train=" + tiny.write_corpus("one\ntwo\nthree\n", "ek\ndo\nteen\n");
  check_refused(tiny.train("run", {three, "train.allow=[]"}), 2, {"got 3 pairs", "--allow few-pairs"});
  succeeded(tiny.train("run", {three, "train.allow=[]"}, {"--allow", "same-text,few-pairs"}));
  check_refused(tiny.train("other", {three}, {"--allow", "few"}), 2, {"--allow", "few-pairs"});
  succeeded(tiny.train("both", {three, "train.allow=few-pairs"}, {"--allow", "same-text"}));  // --allow adds
  // A run that was let through is not refused later, even if it has no checkpoint yet.
  std::filesystem::remove_all(tiny / "run/checkpoints");
  succeeded(tiny.train("run", {three, "train.allow=[]"}, {"--resume"}));
}

TEST_CASE("text longer than the training text gives one warning; other text gives none") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const auto translated = [&](const std::string& run, const std::string& text, const Strings& more = {}) {
    Strings arguments{"translate", tiny / run};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return count(succeeded(glossa_program(arguments, text)).err, too_long);
  };
  CHECK_EQ(translated("run", lines_of_words(2500, 29), {"--beam", "1", "-q"}), 1);
  CHECK_EQ(translated("run", lines_of_words(1, 29)), 0);  // one line may well be long
  CHECK_EQ(translated("run", read_bytes(tiny / "toy/test.en")), 0);
  write_bytes(tiny / "long.en", lines_of_words(40, 29));
  for (const Strings& command : {Strings{"evaluate", tiny / "run", "--source", tiny / "long.en", "--reference"},
                                 Strings{"score", tiny / "run", "--source", tiny / "long.en", "--target"}}) {
    Strings arguments = command;
    arguments.push_back(tiny / "long.en");
    const std::string err = succeeded(glossa_program(arguments)).err;
    CHECK_EQ(count(err, too_long), 1);
    CHECK_NE(err.find("half of the first 40 lines have 30 words or more"), std::string::npos);
  }

  // The number of words survives averaging and warm starts; resuming does not change it.
  succeeded(tiny.resume("run", {"train.max_updates=25"}));
  succeeded(glossa_program({"average", tiny / "run", "--last", "2", "--run", tiny / "mean"}));
  const std::string short_text = tiny.write_corpus("we eat\ncows sleep\n", "ham khaate\ngaay sote\n");
  succeeded(tiny.train("tuned", {"train.warm_start=" + (tiny / "run").string(), "data.train=" + short_text}));
  for (const char* run : {"run", "mean", "tuned"}) {
    CHECK_EQ(translated(run, lines_of_words(20, 29)), 1);
    CHECK_EQ(translated(run, read_bytes(tiny / "toy/test.en")), 0);
  }
}

TEST_CASE("a run that recorded no length never warns, nor does a run that started from it") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"data.tokenizer=sentencepiece", "data.vocab_size=200", "data.bos_id=1",
                               "model.norm=post", "model.final_norm=false", "model.sinusoid=halves"}));
  succeeded(glossa_program({"export", tiny / "run", "--huggingface", tiny / "hf"}));
  succeeded(glossa_program({"import", tiny / "hf", "--run", tiny / "imported"}));
  write_bytes(tiny / "fine.yaml",
              fmt::format("{{data: {{train: {0}/toy/train, valid: {0}/toy/valid, source: en, target: hi}}, "
                          "optim: {{lr: 1e-4, warmup: 2}}, train: {{max_updates: 2, warm_start: {0}/imported}}}}",
                          tiny.path().string()));
  succeeded(glossa_program({"train", tiny / "fine.yaml", "--run", tiny / "tuned"}));
  succeeded(glossa_program(
      {"train", tiny / "fine.yaml", "--run", tiny / "tuned", "--resume", "--set", "train.max_updates=3"}));
  for (const char* run : {"imported", "tuned"})
    CHECK_EQ(count(succeeded(glossa_program({"translate", tiny / run}, lines_of_words(20, 29))).err, too_long), 0);
}

TEST_CASE("a server warns once about sentences longer than the training text") {
  Served served({fixture().run()});
  for (int request = 0; request < 3; ++request) {
    std::string text;
    for (const std::string& line : lines_of(lines_of_words(50, 29))) text += line + ".\n";
    translated(served.port(), text);
  }
  const Outcome ended = served.stop();
  CHECK_EQ(ended.status, 0);
  CHECK_EQ(count(ended.err, too_long), 1);
  CHECK_NE(ended.err.find("[en-hi] half of the first 100 lines have 30 words or more"), std::string::npos);
}

TEST_CASE("text of the wrong language gives a warning in every command that translates or scores text") {
  const TinyRun tiny;
  for (const char* part : {"train", "valid"})
    fs::copy_file(tiny / (std::string("toy/") + part + ".hi"), tiny / (std::string("toy/") + part + ".fr"));
  succeeded(tiny.train("run", {"data.target=fr", "train.max_updates=1"}));
  std::string french;
  for (int i = 0; i < 12; ++i) french += "Le chien est dans la maison.\n";
  write_bytes(tiny / "text", french);
  const std::string run = tiny / "run", text = tiny / "text";
  for (const Strings& command : {Strings{"translate", run, "--input", text, "--set", "decode.max_length_extra=2"},
                                 Strings{"evaluate", run, "--source", text, "--reference", text},
                                 Strings{"score", run, "--source", text, "--target", text}})
    CHECK_EQ(count(succeeded(glossa_program(command)).err, "text] most lines look like fr, but the run translates en"),
             1);
}
