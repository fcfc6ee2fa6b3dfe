// Translators' texts: translation memories, lists of corpora, filters, a prefix.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <regex>

#include "tests/integration/serve_client.h"

using namespace glossa::testing;

namespace {

/// A translation memory with the pairs of two files and one unit in other languages.
std::string memory_of(const std::string& english, const std::string& hindi) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx version=\"1.4\"><header/><body>\n";
  const Strings sources = lines_of(english), targets = lines_of(hindi);
  for (std::size_t i = 0; i < sources.size(); ++i)
    text += fmt::format(
        "<tu><tuv xml:lang=\"EN-us\"><seg><bpt i=\"1\">code</bpt>{}<ept i=\"1\"/></seg></tuv>\n"
        "<tuv xml:lang=\"hi-IN\"><seg>{}</seg></tuv></tu>\n",
        sources[i], targets[i]);
  return text +
         "<tu><tuv xml:lang=\"fr\"><seg>x</seg></tuv><tuv xml:lang=\"hi\"><seg>y</seg></tuv></tu></body></tmx>\n";
}

const std::string prefix = ">>hin<<";

/// A run trained briefly with a prefix.
struct PrefixedRun {
  PrefixedRun() {
    succeeded(tiny.train("run", {"train.max_updates=60", "model.width=32", "optim.lr=5e-3", "model.dropout=0",
                                 "data.source_prefix=" + prefix}));
    source = read_bytes(tiny / "toy/test.en");
    Strings lines = lines_of(source);
    lines.resize(20);
    source = fmt::format("{}\n", fmt::join(lines, "\n"));
    for (std::string& line : lines) line = prefix + " " + line;
    prefixed = fmt::format("{}\n", fmt::join(lines, "\n"));
    lines = lines_of(read_bytes(tiny / "toy/test.hi"));
    lines.resize(20);
    write_bytes(tiny / "source", source);
    write_bytes(tiny / "prefixed", prefixed);
    write_bytes(tiny / "target", fmt::format("{}\n", fmt::join(lines, "\n")));
  }

  /// A command's output for lines without a prefix, and for lines that contain it while data.source_prefix is empty.
  std::pair<std::string, std::string> both(const std::string& command, Strings arguments, const char* input,
                                           const Strings& more = {}) const {
    arguments.insert(arguments.begin(), {command, tiny / "run"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    Strings plain = arguments, typed = arguments;
    for (const std::string& argument : {std::string(input), std::string(tiny / "source")}) plain.push_back(argument);
    for (const std::string& argument :
         {std::string(input), std::string(tiny / "prefixed"), std::string("--set"), std::string("data.source_prefix=")})
      typed.push_back(argument);
    return {succeeded(glossa_program(plain)).out, succeeded(glossa_program(typed)).out};
  }

  TinyRun tiny;
  std::string source, prefixed;
};

const PrefixedRun& prefixed_run() {
  static const PrefixedRun fixture;
  return fixture;
}

std::string without(const std::string& text, const char* pattern) {
  return std::regex_replace(text, std::regex(pattern), "");
}

}  // namespace

TEST_CASE("the prefix is added to every line of translate, score, evaluate and attention") {
  const std::string target = prefixed_run().tiny / "target";
  const auto [translated, typed] = prefixed_run().both("translate", {"--scores"}, "--input");
  CHECK_EQ(translated, typed);
  CHECK_NE(
      translated,
      succeeded(glossa_program({"translate", prefixed_run().tiny / "run", "--scores", "--set", "data.source_prefix="},
                               prefixed_run().source))
          .out);

  const auto [scored, scored_typed] = prefixed_run().both("score", {"--target", target}, "--source");
  CHECK_EQ(scored, scored_typed);

  const auto [evaluated, evaluated_typed] =
      prefixed_run().both("evaluate", {"--reference", target, "--json"}, "--source");
  const char* run_specific = "\"(seconds|test)\":[^,]*,";
  CHECK_EQ(without(evaluated, run_specific), without(evaluated_typed, run_specific));

  const auto [looked, looked_typed] = prefixed_run().both("attention", {"--json"}, "--input");
  const char* text = "\"text\":\"[^\"]*\",";
  CHECK_EQ(without(looked, text), without(looked_typed, text));
  CHECK_NE(looked.find("\"source\":[\"" + prefix + "\","), std::string::npos);
}

TEST_CASE("alignments count the words of the source without the prefix") {
  const auto words = [&](const std::string& json) {
    int largest = -1, smallest = 1000;
    const std::regex pair("(\\d+)-\\d+");
    for (auto at = std::sregex_iterator(json.begin(), json.end(), pair); at != std::sregex_iterator(); ++at) {
      largest = std::max(largest, std::stoi((*at)[1]));
      smallest = std::min(smallest, std::stoi((*at)[1]));
    }
    return std::pair(smallest, largest);
  };
  const Outcome aligned = succeeded(
      glossa_program({"translate", prefixed_run().tiny / "run", "--alignment", "--format", "text"}, "the boy\n"));
  const auto [smallest, largest] = words(aligned.out);
  CHECK_GE(smallest, 0);
  CHECK_LE(largest, 1);
}

TEST_CASE("the prefix is added to every sentence that is served") {
  const std::string line = lines_of(prefixed_run().source)[0];
  Served served({prefixed_run().tiny / "run"}), typed({prefixed_run().tiny / "run", "--set", "data.source_prefix="});
  const auto translated = [&](int port, const std::string& text) {
    const Answer answer = ask(port, post("/translate", translation(text)));
    REQUIRE_MESSAGE(answer.status == 200, answer.body);
    return json_object(answer.body).at("translatedText");
  };
  CHECK_EQ(translated(served.port(), line), translated(typed.port(), prefix + " " + line));
}

TEST_CASE("a run trains on a list with a translation memory, watches a second corpus and counts omitted pairs") {
  const TinyRun tiny;
  write_bytes(tiny / "memory.tmx", memory_of(read_bytes(tiny / "toy/valid.en"), read_bytes(tiny / "toy/valid.hi")));
  write_bytes(tiny / "extra.tsv", "a b c d e f\tx\n\tempty\nthe boy\tladka\nthe boy\tladka\n");
  const std::string train =
      fmt::format("data.train=[{}, {}]", (tiny / "memory.tmx").string(), (tiny / "extra.tsv").string());
  const std::string valid =
      fmt::format("data.valid=[{}, {}]", (tiny / "toy/test").string(), (tiny / "memory.tmx").string());
  const Strings sets{train, valid, "data.max_ratio=5", "data.duplicates=drop", "train.validate_every=10u"};
  succeeded(tiny.train("run", sets));
  const std::string log = read_bytes(tiny / "run/train.log");
  const auto says = [&](const std::string& text) { CHECK_MESSAGE(log.find(text) != std::string::npos, text, log); };
  says("    left out: language 1\n");
  says("    left out: empty 1 (1 source)\n");
  says("    left out: ratio 1 (first: " + (tiny / "extra.tsv").string() + ":1)\n");
  says("    left out: duplicate 1\n");
  says("\n    " + (tiny / "memory.tmx").string() + " : valid loss ");
  CHECK_NE(read_bytes(tiny / "run/metrics.jsonl").find("\"valid_loss:" + (tiny / "memory.tmx").string() + "\":"),
           std::string::npos);
  succeeded(glossa_program({"report", tiny / "run"}));
  CHECK_NE(read_bytes(tiny / "run/report.html").find("\"valid_bleu:" + (tiny / "memory.tmx").string() + "\":["),
           std::string::npos);

  const Outcome scores = succeeded(glossa_program({"evaluate", tiny / "run", "--test", tiny / "memory.tmx", "--json"}));
  CHECK_EQ(json_object(scores.out).at("sentences"), std::to_string(lines_of(read_bytes(tiny / "toy/valid.en")).size()));

  write_bytes(tiny / "memory.tmx", "<tmx><body>\n<tu></body></tmx>");
  check_refused(tiny.train("other", sets), 1, {"[" + (tiny / "memory.tmx").string() + ":2] expected well-formed XML"});
}
