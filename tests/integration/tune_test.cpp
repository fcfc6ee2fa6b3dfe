// `glossa tune`, and several runs as an ensemble, on the command line.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;

namespace {

/// Two runs that differ in train.seed, with checkpoints of four updates.
struct TwoRuns {
  TwoRuns() {
    for (const char* seed : {"1", "2"})
      succeeded(tiny.train("run" + std::string(seed),
                           {"train.seed=" + std::string(seed), "train.max_updates=60", "train.save_every=20u"}));
  }

  std::string operator[](int run) const { return tiny / ("run" + std::to_string(run)); }
  std::string config(int run) const { return read_bytes(tiny / ("run" + std::to_string(run)) / "config.yaml"); }

  TinyRun tiny;
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("tune lists searches, and writes the best one where translate reads it") {
  const TwoRuns f;
  const Outcome table = succeeded(glossa_program({"tune", f[1], "--beams", "1,2", "--metric", "chrf"}));
  CHECK(has(table.out, "beam  alpha   BLEU  chrF2  length  ms/sentence\n"));
  CHECK(has(table.out, "  the run's own options\n"));
  CHECK(has(table.out, "best"));
  const Outcome json = succeeded(glossa_program({"tune", f[1], "--beams", "1,2", "--metric", "chrf", "--json"}));
  int best = 0;
  std::string beam, alpha;
  for (const std::string& line : lines_of(json.out)) {
    auto search = json_object(line);
    if (search.at("best") != "true") continue;
    ++best;
    beam = search.at("beam");
    alpha = search.at("alpha");
  }
  CHECK_EQ(best, 1);
  const std::string before = f.config(1);
  succeeded(glossa_program({"tune", f[1], "--beams", "1,2", "--metric", "chrf", "--write"}));
  CHECK(has(f.config(1), "beam: " + beam + " "));
  CHECK_EQ(std::ranges::count(f.config(1), '\n'), std::ranges::count(before, '\n'));
  // A resumed run keeps them for translation, and validates as before.
  succeeded(f.tiny.resume("run1", {"train.max_updates=80"}));
  CHECK(has(f.config(1), "beam: " + beam + " "));
  CHECK(has(f.config(1), "max_updates: 80u "));
  check_refused(glossa_program({"tune", f[1], "--write", "--set", "decode.min_length=3"}), 2, {"[--write]"});
  check_refused(glossa_program({"tune", f[1], "--write", "--checkpoint", "last"}), 2, {"[--write]", "checkpoint"});
  check_refused(glossa_program({"tune", f[1], f[2], "--write"}), 2, {"[--write]", "got an ensemble"});
  CHECK(has(succeeded(glossa_program({"tune", f[1], f[2], "--beams", "1"})).out, "ensemble of 2 runs\n"));
}

TEST_CASE("decode.average is refused where another option chooses the checkpoint") {
  const TwoRuns f;
  const std::string average = "decode.average=2";
  for (const char* const command : {"tune", "translate", "evaluate"}) {
    check_refused(glossa_program({command, f[1], "--checkpoint", "last", "--set", average}), 2, {"[--checkpoint]"});
    check_refused(glossa_program({command, f[1] + "/checkpoints/last", "--set", average}), 2, {"[RUN]"});
  }
  succeeded(glossa_program({"translate", f[1], "--checkpoint", "last", "--set", "decode.average=0"}, "hello\n"));
}

TEST_CASE("tune resets options that only drawing has") {
  const TwoRuns f;
  std::string config = f.config(1);
  for (const auto& [from, to] : {std::pair{"sample: false", "sample: true "}, {"top_k: 0", "top_k: 2"}})
    config.replace(config.find(from), std::string_view(from).size(), to);
  write_bytes(f.tiny / "run1/config.yaml", config);
  succeeded(glossa_program({"tune", f[1], "--beams", "1", "--write"}));
  succeeded(glossa_program({"translate", f[1]}, "hello world\n"));
}

TEST_CASE("several runs translate, score and are evaluated as one") {
  const TwoRuns f;
  const std::string source = f.tiny / "some.en", target = f.tiny / "some.hi";
  f.tiny.write_corpus("the man sees a house .\nhello world\n", "aadmi ghar dekhta hai .\nnamaste duniya\n");
  write_bytes(source, "the man sees a house .\nhello world\nhow are you\n");
  const auto translated = [&](const Strings& runs) {
    Strings arguments{"translate"};
    arguments.insert(arguments.end(), runs.begin(), runs.end());
    for (const std::string& more : {std::string("--input"), source, std::string("--beam"), std::string("3")})
      arguments.push_back(more);
    return succeeded(glossa_program(arguments)).out;
  };
  CHECK_EQ(translated({f[1], f[1]}), translated({f[1]}));
  const std::string both = translated({f[1], f[2]});
  CHECK_EQ(translated({f[2], f[1]}), both);
  write_bytes(target, both);
  const auto first_score = [&](const Strings& runs) {
    Strings arguments{"score"};
    arguments.insert(arguments.end(), runs.begin(), runs.end());
    for (const std::string& more : {std::string("--source"), source, std::string("--target"), target})
      arguments.push_back(more);
    return std::stod(succeeded(glossa_program(arguments)).out);
  };
  const double one = first_score({f[1]}), two = first_score({f[2]}), mean = first_score({f[1], f[2]});
  CHECK(mean <= std::max(one, two) + 1e-6);
  CHECK(mean >= std::min(one, two) - 0.7);  // at least the better one's probability, halved
  const Outcome evaluated =
      succeeded(glossa_program({"evaluate", f[1], f[2], "--source", source, "--reference", target, "--json"}));
  CHECK_EQ(json_object(evaluated.out).at("exact_match").substr(0, 1), "1");
  CHECK(has(json_object(evaluated.out).at("checkpoints"), "run2/checkpoints"));
  check_error(glossa_program({"translate", f[1], f.tiny / "none", "--input", source}), 1, {"not found"});
}
