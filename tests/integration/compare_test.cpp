// `glossa evaluate RUN --compare OTHER`: another run, or another system's translations.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <vector>

#include "decoding/scores/paired_bootstrap.h"
#include "tests/integration/program.h"
#include "tests/integration/tiny_run.h"

using namespace glossa::testing;

namespace {

std::string text_of(const Strings& lines) { return fmt::format("{}\n", fmt::join(lines, "\n")); }

Strings with(Strings arguments, const Strings& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// The numbers of a comparison: for each score those of run and other system, the difference and the p-value.
std::vector<double> numbers_of(const glossa::PairedBootstrap& found) {
  std::vector<double> all;
  for (const glossa::PairedScore& score : {found.bleu, found.chrf, found.ter}) {
    for (const glossa::ResampledScore& side : {score.system, score.other})
      all.insert(all.end(), {side.score, side.mean, side.interval});
    all.insert(all.end(), {score.difference(), score.p_value});
  }
  return all;
}

std::vector<double> numbers_of(const std::string& compare) {
  std::vector<double> all;
  auto scores = json_object(compare);
  for (const char* name : {"bleu", "chrf", "ter"}) {
    auto score = json_object(scores.at(name));
    for (const char* system : {"run", "other"}) {
      auto side = json_object(score.at(system));
      for (const char* key : {"score", "mean", "interval"}) all.push_back(std::stod(side.at(key)));
    }
    for (const char* key : {"difference", "p"}) all.push_back(std::stod(score.at(key)));
  }
  return all;
}

/// The member `compare` of the JSON that evaluate prints.
std::string compared(const Strings& arguments) {
  return json_object(succeeded(glossa_program(with(arguments, {"--json"}))).out).at("compare");
}

}  // namespace

TEST_CASE("evaluate compares with a run, one of its checkpoints or a text, as a program does") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  succeeded(tiny.train("other", {"train.seed=7", "data.lowercase=true", "data.tokenizer=characters", "decode.beam=3"}));
  const std::string source = tiny / "toy/test.en", reference = tiny / "toy/test.hi", theirs = tiny / "theirs.hi";
  Strings sources = lines_of(read_bytes(source)), references = lines_of(read_bytes(reference));
  for (std::string& line : sources) line[0] = static_cast<char>(std::toupper(line[0]));  // other has lower case only
  write_bytes(tiny / "text.en", text_of(sources));
  const auto translated = [&](const std::string& run) {
    return lines_of(succeeded(glossa_program({"translate", tiny / run, "--input", tiny / "text.en"})).out);
  };
  const Strings ours = translated("run"), others = translated("other");
  Strings second = ours;
  for (std::size_t i = 0; i < second.size(); i += 2) second[i] = references[i];
  write_bytes(tiny / "second.hi", text_of(second));
  write_bytes(theirs, text_of(others));
  const std::span<const std::string> both[] = {references, second};
  const Strings evaluate{"evaluate",    tiny / "run", "--source",    tiny / "text.en",
                         "--reference", reference,    "--reference", tiny / "second.hi"};
  const std::vector<double> expected = numbers_of(glossa::paired_bootstrap(ours, others, both, {}, 200));
  for (const std::string& other : {theirs, (tiny / "other").string(), (tiny / "other/checkpoints/last").string()}) {
    CAPTURE(other);
    const std::string found = compared(with(evaluate, {"--compare", other, "--resamples", "200"}));
    CHECK(json_object(found).at("other").starts_with('"' + other));
    CHECK_EQ(json_object(found).at("resamples"), "200");
    CHECK_EQ(numbers_of(found), expected);
  }
  // The run that has lower case only leaves capital letters to the other run, whose output it lowers.
  Strings lower = ours;
  for (std::string& text : lower)
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  Strings turned = evaluate;
  turned[1] = tiny / "other";
  CHECK_EQ(numbers_of(compared(with(turned, {"--compare", tiny / "run"}))),
           numbers_of(glossa::paired_bootstrap(others, lower, both)));
  const std::string shown = succeeded(glossa_program(with(evaluate, {"--compare", theirs}))).out;
  CHECK_NE(shown.find(fmt::format("compared with {}: paired bootstrap, 1000 resamples\n", theirs)), shown.npos);
  const double p = numbers_of(compared(with(evaluate, {"--compare", theirs})))[15];  // of chrF2
  const std::size_t line = shown.rfind("chrF2 ");
  CHECK_NE(shown.find(fmt::format("  {:.4f}\n", p), line), shown.npos);
}

TEST_CASE("evaluate reports a comparison of equal translations, and other languages") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const Strings evaluate{"evaluate", tiny / "run", "--test", tiny / "toy/test", "--compare"};
  const Outcome same = succeeded(glossa_program(with(evaluate, {tiny / "run"})));
  CHECK_NE(same.err.find("[--compare] all translations are the same"), same.err.npos);
  CHECK_NE(same.out.find("+0.00  -\n"), same.out.npos);
  succeeded(tiny.train("back", {"data.source=hi", "data.target=en"}));
  const Outcome back = succeeded(glossa_program(with(evaluate, {tiny / "back"})));
  CHECK_NE(back.err.find("[--compare] data.source of "), back.err.npos);
}

TEST_CASE("evaluate refuses to compare with what is no run and no text of as many lines") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const std::string source = tiny / "toy/test.en";
  const auto compared_with = [&](const Strings& more) {
    return glossa_program(with({"evaluate", tiny / "run", "--test", tiny / "toy/test"}, more));
  };
  check_refused(compared_with({"--compare", tiny / "runs"}), 1,
                {"expected a run, or a file", "not found", "did you mean"});
  check_refused(compared_with({"--compare", ""}), 1, {"[--compare]", "not found"});
  check_refused(compared_with({"--compare", tiny / "toy"}), 1, {"toy]", "expected a run folder"});
  write_bytes(tiny / "short.hi", "one line\n");
  check_refused(compared_with({"--compare", tiny / "short.hi"}), 1, {"short.hi]", "expected as many lines as in"});
  write_bytes(tiny / "damaged.hi", "\xff\n");
  check_refused(compared_with({"--compare", tiny / "damaged.hi"}), 1, {"damaged.hi:1:1]", "UTF-8"});
  check_refused(compared_with({"--resamples", "10"}), 2, {"--resamples", "--compare"});
  check_refused(compared_with({"--compare", source, "--resamples", "0"}), 2, {"--resamples"});
}

TEST_CASE("a line that the other run cannot translate is scored as empty, and reported") {
  const TinyRun tiny;
  const std::string corpus = tiny.write_corpus("hello world\nhello\n", "namaste vishva\nnamaste\n");
  const Strings sets{"data.train=" + corpus, "data.valid=", "data.split=none"};
  succeeded(tiny.train("run", sets));
  succeeded(tiny.train("other", with(sets, {"data.unk_id=-1"})));
  write_bytes(tiny / "text.en", "hello\nzebra\n");
  write_bytes(tiny / "text.hi", "namaste\nnamaste\n");
  const Strings text{"--source", tiny / "text.en", "--reference", tiny / "text.hi", "--json"};
  const Outcome both = glossa_program(with({"evaluate", tiny / "run", "--compare", tiny / "other"}, text));
  check_error(both, 1, {"other]", "1 of 2 lines not translated"});
  auto found = json_object(both.out), alone = json_object(glossa_program(with({"evaluate", tiny / "other"}, text)).out);
  CHECK_EQ(found.at("untranslated"), "0");
  const std::vector<double> numbers = numbers_of(found.at("compare"));
  CHECK_EQ(numbers[3], std::stod(alone.at("bleu")));
  CHECK_EQ(numbers[11], std::stod(alone.at("chrf")));
  CHECK_EQ(numbers[19], std::stod(alone.at("ter")));
}
