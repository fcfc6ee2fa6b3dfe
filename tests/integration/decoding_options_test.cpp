// Each option of decoding has an effect on each command that accepts it; other commands refuse it.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <functional>
#include <regex>

#include "tests/integration/served_run.h"

using namespace glossa::testing;

namespace {

/// An option with a value, beside other options that it needs.
struct Row {
  std::string option;
  Strings beside = {};
  bool score_refuses = true;
  bool shows = true;  // false: affects speed and rounding only
  bool serve_refuses = false;
};

const Row rows[] = {
    {"decode.beam=1"},
    {"decode.search=huggingface", {"decode.max_length_factor=0", "decode.max_length_extra=4"}},
    {"decode.length_penalty=none", {}, false},
    {"decode.alpha=3", {}, false},
    {"decode.max_length_factor=0", {"decode.max_length_extra=3"}},
    {"decode.max_length_extra=1", {"decode.max_length_factor=0"}},
    {"decode.min_length=9", {"decode.renormalize=true"}, false},
    {"decode.forbidden=[4,5,6,7,8,9]", {"decode.renormalize=true"}, false},
    {"decode.renormalize=true", {"decode.forbidden=[4,5,6,7,8,9]"}, false},
    {"decode.max_tokens=64", {}, true, false},
    {"decode.sample=true", {"decode.beam=1"}},
    {"decode.temperature=9", {"decode.beam=1", "decode.sample=true"}},
    {"decode.top_k=2", {"decode.beam=1", "decode.sample=true"}},
    {"decode.top_p=0.3", {"decode.beam=1", "decode.sample=true"}},
    {"decode.seed=9", {"decode.beam=1", "decode.sample=true"}},
    {"decode.mbr=4", {"decode.beam=1"}, true, true, true},
    {"decode.mbr_utility=bleu", {"decode.mbr=6", "decode.temperature=3"}, true, true, true},
};

Strings with_sets(Strings arguments, const Strings& sets) {
  for (const std::string& set : sets) {
    arguments.push_back("--set");
    arguments.push_back(set);
  }
  return arguments;
}

Strings with(const std::string& option, Strings beside) {
  beside.push_back(option);
  return beside;
}

}  // namespace

TEST_CASE("every option of decoding acts on every command that accepts it") {
  const ServedRun& served = fixture();
  const std::string sources = served.tiny / "some.en", targets = served.tiny / "some.hi";
  const Strings lines(served.lines.begin(), served.lines.begin() + 12);
  write_bytes(sources, fmt::format("{}\n", fmt::join(lines, "\n")));
  const Strings translated(served.translated.begin(), served.translated.begin() + 12);
  write_bytes(targets, fmt::format("{}\n", fmt::join(translated, "\n")));
  using Command = std::function<Outcome(const Strings&)>;
  const auto command = [](Strings arguments) -> Command {
    return [arguments](const Strings& sets) { return glossa_program(with_sets(arguments, sets)); };
  };
  const std::pair<std::string, Command> commands[] = {
      {"translate", command({"translate", served.run(), "--input", sources, "--scores"})},
      {"evaluate", command({"evaluate", served.run(), "--source", sources, "--reference", targets, "--json"})},
      {"attention", command({"attention", served.run(), "--input", sources, "--json"})},
      {"score", command({"score", served.run(), "--source", sources, "--target", targets})},
      {"serve", [&](const Strings& sets) {
         Served server(with_sets({served.run()}, sets));
         std::string answers;
         for (const std::string& line : lines)
           answers += ask(server.port(), post("/translate", translation(line, ",\"scores\":true"))).body;
         Outcome outcome = server.stop();
         outcome.out = answers;
         return outcome;
       }}};
  for (const auto& entry : commands) {
    const std::string& name = entry.first;
    const Command& run = entry.second;
    const auto output = [&](const Strings& sets) {
      return std::regex_replace(succeeded(run(sets)).out, std::regex("\"seconds\":[^,]*,"), "");
    };
    for (const Row& row : rows) {
      CAPTURE(name);
      CAPTURE(row.option);
      Strings beside = row.beside;
      if (name == "score" && row.score_refuses) {
        CHECK_EQ(run({row.option}).status, 2);
        continue;
      }
      if (name == "serve" && row.serve_refuses) {
        check_refused(glossa_program(with_sets({"serve", served.run()}, with(row.option, beside))), 2,
                      {"[decode.mbr]", "for serve"});
        continue;
      }
      if (name == "score" && row.option == "decode.renormalize=true") beside.clear();  // nothing else to act on
      const std::string before = output(beside), after = output(with(row.option, beside));
      if (row.shows) CHECK_NE(before, after);
    }
  }
}

TEST_CASE("an option of decoding that another one disables is refused") {
  const std::string run = fixture().run();
  for (const char* set : {"decode.temperature=0.5", "decode.top_k=2", "decode.top_p=0.5", "decode.seed=2"})
    check_refused(glossa_program({"translate", run, "--set", set}, "a"), 2, {"decode.sample=true or decode.mbr"});
  check_refused(glossa_program({"translate", run, "--set", "decode.mbr_utility=bleu"}, "a"), 2, {"decode.mbr as well"});
  check_refused(
      glossa_program({"translate", run, "--set", "decode.length_penalty=none", "--set", "decode.alpha=2"}, "a"), 2,
      {"[--set decode.alpha=2]", "decode.length_penalty"});
  check_refused(glossa_program({"translate", run, "--beam", "2", "--set", "decode.sample=true"}, "a"), 2,
                {"[decode.beam]", "a single draw"});
  check_refused(glossa_program({"score", run, "--source", "a", "--target", "b", "--set", "decode.forbidden=[4]"}), 2,
                {"decode.renormalize=true"});
}
