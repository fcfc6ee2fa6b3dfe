// Users' texts in `translate`, `score` and `evaluate`: overlong or damaged lines, lists of translations, files, unknown
// words.
#include <doctest/doctest.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <cmath>
#include <set>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// A run trained enough for varied output, and its commands.
struct TranslatingRun {
  explicit TranslatingRun(const Strings& more = {}) {
    Strings sets{"train.max_updates=150", "model.width=32",     "optim.lr=5e-3",
                 "model.dropout=0",       "data.max_length=60", "model.max_positions=60"};
    sets.insert(sets.end(), more.begin(), more.end());
    succeeded(tiny.train("run", sets));
  }

  Outcome run(const char* command, const Strings& more, const std::string& input = {}) const {
    Strings arguments{command, tiny / "run"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return glossa_program(arguments, input);
  }
  Outcome translate(const Strings& more, const std::string& input = {}) const { return run("translate", more, input); }

  TinyRun tiny;
};

std::string line_of(int words) {
  std::string line;
  for (int i = 0; i < words; ++i) line += i % 2 == 0 ? "hello " : "world ";
  return line;
}

Strings parts_of(const std::string& line, const std::string& separator) {
  Strings parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = line.find(separator, begin)) != line.npos; begin = end + separator.size())
    parts.push_back(line.substr(begin, end - begin));
  parts.push_back(line.substr(begin));
  return parts;
}

}  // namespace

TEST_CASE("every line has its line of output, even a damaged one") {
  const TranslatingRun fixture({"data.max_line_bytes=40000"});
  const std::string good = "how are you", long_line = line_of(5000), overlong(40001, 'a');
  const std::string text =
      good + "\n\xFF\n" + long_line + "\n" + overlong + "\n" + std::string("a\0b\n", 4) + "\n" + good;
  const Outcome outcome = fixture.translate({}, text);
  const std::string alone = lines_of(succeeded(fixture.translate({}, good + "\n")).out).front();
  const Strings lines = lines_of(outcome.out);
  REQUIRE_EQ(lines.size(), 7);
  CHECK_EQ(lines[0], alone);
  CHECK_EQ(lines[6], alone);
  for (const std::size_t i : {1, 3, 4, 5}) CHECK_EQ(lines[i], "");
  CHECK_GT(parts_of(lines[2], " ").size(), 100);  // some words of each piece of at most 60
  CHECK_EQ(outcome.status, 1);
  const Strings messages = lines_of(outcome.err);
  REQUIRE_EQ(messages.size(), 5);
  CHECK(messages[0].starts_with("warning: [standard input:2:1] expected valid UTF-8"));
  CHECK_NE(messages[0].find("data.invalid_utf8: replace"), messages[0].npos);
  CHECK(messages[1].starts_with("warning: [standard input:4] expected at most 40000 bytes in a line; got 40001"));
  CHECK(messages[2].starts_with("warning: [standard input:5:2] expected text; got a NUL byte"));
  CHECK(messages[3].starts_with("note: 1 line longer than model.max_positions, translated in pieces"));
  check_error(outcome, 1, {"[standard input] 3 of 7 lines not translated"});

  write_bytes(fixture.tiny / "text", text);
  const Outcome from_file = fixture.translate({"--input", fixture.tiny / "text", "--on-bad-line", "warn"});
  CHECK_EQ(from_file.out, outcome.out);
  CHECK_EQ(from_file.status, 1);
  check_refused(fixture.translate({"--on-bad-line", "stop"}, text), 1, {"[standard input:2:1]"});
  check_refused(fixture.translate({"--on-bad-line", "skip"}, text), 2, {"--on-bad-line", "skip"});
  CHECK_EQ(succeeded(fixture.translate({}, long_line)).err,
           "note: 1 line longer than model.max_positions, translated in pieces\n");
}

TEST_CASE("of many lines with one fault, the first five are reported and the others counted") {
  const TranslatingRun fixture;
  std::string text;
  for (int i = 0; i < 40; ++i) text += "how are you\n\xFF\n" + std::string(i < 2 ? "a\0b\n" : "", i < 2 ? 4 : 0);
  const Outcome outcome = fixture.translate({}, text);
  CHECK_EQ(lines_of(outcome.out).size(), 82);
  const Strings messages = lines_of(outcome.err);
  REQUIRE_EQ(messages.size(), 9);  // five, two, the count and the error
  CHECK_EQ(messages[7], "warning: [standard input] 35 more lines: expected valid UTF-8");
  check_error(outcome, 1, {"[standard input] 42 of 82 lines not translated"});
  check_refused(fixture.translate({}, std::string("\xFF\xFEh\0o\0w\0\n\0h\0o\0w\0\n\0", 18)), 1,
                {"[standard input] expected UTF-8 text; got UTF-16", "iconv -f UTF-16 -t UTF-8"});
  check_refused(fixture.translate({"text.en"}, ""), 2, {"'text.en'", "did you mean '--input text.en'?"});
}

TEST_CASE("without <unk>, a line with an unknown token stays empty and the others are translated") {
  const TinyRun tiny;
  const std::string corpus = tiny.write_corpus("hello world\nhello\n", "namaste vishva\nnamaste\n");
  succeeded(tiny.train("run", {"data.train=" + corpus, "data.valid=", "data.split=none", "data.unk_id=-1"}));
  const Outcome outcome = glossa_program({"translate", tiny / "run"}, "hello\nzebra\nhello\n");
  const Strings lines = lines_of(outcome.out);
  REQUIRE_EQ(lines.size(), 3);
  CHECK_EQ(lines[1], "");
  CHECK_EQ(lines[0], lines[2]);
  CHECK_EQ(lines_of(outcome.err).size(), 2);
  check_error(outcome, 1, {"1 of 3 lines not translated"});
  write_bytes(tiny / "text.en", "hello\nzebra\n");
  write_bytes(tiny / "text.hi", "namaste\nnamaste\n");
  const Outcome evaluated = glossa_program(
      {"evaluate", tiny / "run", "--source", tiny / "text.en", "--reference", tiny / "text.hi", "--json"});
  check_error(evaluated, 1, {"text.en]", "1 of 2 lines not translated"});
  CHECK_EQ(json_object(evaluated.out).at("untranslated"), "1");
}

TEST_CASE("--output writes the whole translation or nothing") {
  const TranslatingRun fixture;
  const std::string text = "how are you\n\xFF\nhello world\n", output = fixture.tiny / "out.hi";
  const Outcome shown = fixture.translate({}, text);
  const Outcome written = fixture.translate({"--output", output}, text);
  CHECK_EQ(written.status, 1);
  CHECK_EQ(written.out, "");
  CHECK_EQ(written.err, shown.err);
  CHECK_EQ(read_bytes(output), shown.out);
  write_bytes(output, "before");
  check_refused(fixture.translate({"--output", output, "--on-bad-line", "stop"}, text), 1, {"[standard input:2:1]"});
  CHECK_EQ(read_bytes(output), "before");
  const std::size_t files = names_in(fixture.tiny.path()).size();

  write_bytes(fixture.tiny / "text", "hello\n");
  fs::create_hard_link(fixture.tiny / "text", fixture.tiny / "same");
  check_refused(fixture.translate({"--input", fixture.tiny / "text", "--output", fixture.tiny / "same"}), 2,
                {"[--output]", "a file other than the input"});
  CHECK_EQ(read_bytes(fixture.tiny / "same"), "hello\n");
  check_error(fixture.translate({"--output", fixture.tiny / "nowhere/out"}, "hello\n"), 1, {"nowhere/out]"});
  check_error(fixture.translate({"--output", fixture.tiny / "run"}, "hello\n"), 1, {"got a folder"});
  REQUIRE_EQ(mkfifo((fixture.tiny / "pipe").c_str(), 0600), 0);
  check_error(fixture.translate({"--output", fixture.tiny / "pipe"}, "hello\n"), 1, {"got a device or a pipe"});
  CHECK(fs::is_fifo(fixture.tiny / "pipe"));
  CHECK_EQ(names_in(fixture.tiny.path()).size(), files + 3);
}

TEST_CASE("--nbest, --format and --scores agree on translations and scores") {
  const TranslatingRun fixture;
  const std::string text = "how are you\n\nhello world\n";
  const Strings best = lines_of(succeeded(fixture.translate({"--beam", "4"}, text)).out);
  REQUIRE_EQ(best.size(), 3);
  const Strings moses = lines_of(succeeded(fixture.translate({"--nbest", "4"}, text)).out);
  REQUIRE_EQ(moses.size(), 9);
  Strings scores;
  for (std::size_t i = 0; i < moses.size(); ++i) {
    CAPTURE(moses[i]);
    const Strings fields = parts_of(moses[i], " ||| ");
    REQUIRE_EQ(fields.size(), 3);
    CHECK_EQ(fields[0], i < 4 ? "0" : i < 5 ? "1" : "2");
    scores.push_back(fields[2]);
    if (i == 0) CHECK_EQ(fields[1], best[0]);
    if (i == 4) CHECK_EQ(fields[1], "");
    if (i == 5) CHECK_EQ(fields[1], best[2]);
    if (i % 5 > 0 && i != 4) CHECK_LE(std::stod(fields[2]), std::stod(scores[i - 1]));
  }
  CHECK_EQ(succeeded(fixture.translate({"--beam", "4", "--scores"}, text)).out,
           fmt::format("{}\t{}\n\t\n{}\t{}\n", best[0], scores[0], best[2], scores[5]));
  CHECK_EQ(succeeded(fixture.translate({"--beam", "4", "--format", "moses"}, text)).out,
           fmt::format("{}\n{}\n{}\n", moses[0], moses[4], moses[5]));
  const Strings objects =
      lines_of(succeeded(fixture.translate({"--beam", "6", "--nbest", "2", "--format", "json"}, text)).out);
  REQUIRE_EQ(objects.size(), 3);
  CHECK_EQ(json_object(objects[1]).at("translations"), "[]");
  CHECK_EQ(json_object(objects[2]).at("line"), "3");
  CHECK_NE(objects[2].find("\"text\":\"" + best[2] + "\""), std::string::npos);

  check_refused(fixture.translate({"--beam", "2", "--nbest", "3"}), 2, {"[--nbest]", "the beam, 2; got 3"});
  check_refused(fixture.translate({"--nbest", "3", "--set", "decode.sample=true"}), 2, {"[--nbest]", "decode.sample"});
  succeeded(fixture.translate({"--nbest", "4", "--set", "decode.mbr=4"}));
  succeeded(fixture.translate({"--nbest", "5", "--beam", "2", "--set", "decode.mbr=4"}));
  check_refused(fixture.translate({"--nbest", "5", "--beam", "1", "--set", "decode.mbr=4"}), 2,
                {"[--nbest] expected at most 4, the candidates of decode.mbr: 4; got 5"});
  check_refused(fixture.translate({"--nbest", "2", "--format", "text"}), 2, {"[--format]", "got text"});
  check_refused(fixture.translate({"--nbest", "0"}), 2, {"--nbest"});
}

TEST_CASE(
    "the sentences of a line are translated one by one, with a note, unless the training text had several per line") {
  const TranslatingRun fixture;
  const std::string text = "hello world \uFF01how are you\nhow are you\nhello \uFF01  hello\n";
  const Strings alone =
      lines_of(succeeded(fixture.translate({}, "hello world \uFF01\nhow are you\nhello \uFF01\nhello\n")).out);
  const std::string expected = alone[0] + " " + alone[1] + "\n" + alone[1] + "\n" + alone[2] + "  " + alone[3] + "\n";
  const Outcome split = succeeded(fixture.translate({}, text));
  CHECK_EQ(split.out, expected);
  const std::string note =
      "note: [standard input:1] has 2 sentences, which are translated one by one; --split-sentences off translates "
      "whole lines\n";
  CHECK(split.err.starts_with(note));
  CHECK_EQ(split.err.find(note, 1), split.err.npos);
  CHECK_EQ(succeeded(fixture.translate({"-q"}, text)).err, "");
  const Outcome whole = succeeded(fixture.translate({"--split-sentences", "off"}, text));
  CHECK_NE(whole.out, expected);
  CHECK_EQ(whole.err.find("sentences"), whole.err.npos);
  check_refused(fixture.translate({"--split-sentences", "yes"}, text), 2, {"--split-sentences", "yes"});

  // One numbered list per line, whose first is the translation without --nbest.
  const Strings beam{"--beam", "4", "--nbest", "4"};
  const Strings list = lines_of(succeeded(fixture.translate(beam, text)).out);
  REQUIRE_EQ(list.size(), 12);
  const std::string best = lines_of(succeeded(fixture.translate({"--beam", "4"}, text)).out).front();
  CHECK_EQ(parts_of(list[0], " ||| ").at(1), best);
  for (std::size_t i = 0; i < 12; ++i) CHECK(list[i].starts_with(fmt::format("{} ||| ", i / 4)));

  // evaluate reads whole lines unless asked.
  write_bytes(fixture.tiny / "text.en", text);
  write_bytes(fixture.tiny / "text.hi", whole.out);
  Strings pair{"--source", fixture.tiny / "text.en", "--reference", fixture.tiny / "text.hi"};
  CHECK_EQ(succeeded(fixture.run("evaluate", pair)).err.find("sentences"), std::string::npos);
  CHECK_NE(succeeded(fixture.run("evaluate", pair)).out.find("exact match 100.00 %"), std::string::npos);
  pair.insert(pair.end(), {"--split-sentences", "auto"});
  const Outcome evaluated = succeeded(fixture.run("evaluate", pair));
  CHECK_NE(evaluated.err.find("text.en:1] has 2 sentences"), std::string::npos);
  CHECK_EQ(evaluated.out.find("exact match 100.00 %"), std::string::npos);

  std::string several, translations;
  for (int i = 0; i < 40; ++i)
    several += fmt::format("hello {} \uFF01world\n", i % 7), translations += "namaste vishva\n";
  const std::string corpus = fixture.tiny.write_corpus(several, translations);
  succeeded(fixture.tiny.train("several", {"data.train=" + corpus, "data.valid=", "data.split=none",
                                           "data.lowercase=true", "train.max_updates=1"}));
  const auto error_with = [&](const Strings& more) {
    Strings arguments{"translate", fixture.tiny / "several"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return succeeded(glossa_program(arguments, "hello \uFF01world\n")).err;
  };
  CHECK_EQ(error_with({}).find("sentences"), std::string::npos);
  CHECK_NE(error_with({"--split-sentences", "on"}).find("has 2 sentences"), std::string::npos);
  pair.insert(pair.begin(), {"evaluate", fixture.tiny / "several"});
  check_refused(glossa_program(pair), 2, {"[--split-sentences]", "data.lowercase", "got auto"});
}

TEST_CASE("score prints the numbers of --nbest") {
  const TranslatingRun fixture;
  Strings english = lines_of(read_bytes(fixture.tiny / "toy/test.en"));
  english.resize(20);
  for (const Strings& sets : {Strings{}, Strings{"--set", "decode.length_penalty=gnmt", "--set", "decode.alpha=0.6"}}) {
    Strings arguments{"--nbest", "3", "--format", "json"};
    arguments.insert(arguments.end(), sets.begin(), sets.end());
    const Outcome found = succeeded(fixture.translate(arguments, fmt::format("{}\n", fmt::join(english, "\n"))));
    std::string sources, targets;
    std::vector<double> scores, sums;
    const Strings lines = lines_of(found.out);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string list = json_object(lines[i]).at("translations");
      for (const std::string& object : parts_of(list.substr(1, list.size() - 2), "},")) {
        auto fields = json_object(object.ends_with('}') ? object : object + "}");
        if (fields.at("finished") == "false") continue;
        sources += english[i] + "\n";
        targets += fields.at("text").substr(1, fields.at("text").size() - 2) + "\n";
        scores.push_back(std::stod(fields.at("score")));
        sums.push_back(std::stod(fields.at("log_probability")));
      }
    }
    CHECK_GT(scores.size(), 40);
    write_bytes(fixture.tiny / "source", sources);
    write_bytes(fixture.tiny / "target", targets);
    Strings pairs{"--source", fixture.tiny / "source", "--target", fixture.tiny / "target"};
    pairs.insert(pairs.end(), sets.begin(), sets.end());
    Strings per_token = pairs;
    per_token.insert(per_token.end(), {"--per-token", "--json"});
    const Strings columns = lines_of(succeeded(fixture.run("score", pairs)).out);
    const Strings objects = lines_of(succeeded(fixture.run("score", per_token)).out);
    REQUIRE_EQ(columns.size(), scores.size());
    REQUIRE_EQ(objects.size(), scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const Strings fields = parts_of(columns[i], "\t");
      REQUIRE_EQ(fields.size(), 3);
      CHECK_LT(std::abs(std::stod(fields[0]) - scores[i]), 1e-4);
      CHECK_LT(std::abs(std::stod(fields[1]) - sums[i]), 1e-4);
      auto object = json_object(objects[i]);
      CHECK_LT(std::abs(std::stod(object.at("score")) - scores[i]), 1e-4);
      CHECK_EQ(object.at("tokens"), fields[2]);
      CHECK_EQ(object.at("line"), std::to_string(i + 1));
    }
  }
}

TEST_CASE("score prints each token's score, and names the pairs that it cannot score") {
  const TranslatingRun fixture;
  write_bytes(fixture.tiny / "source", "hello world\n\nhello\n\xFF\n" + line_of(60) + "\nhello\nhello\n");
  write_bytes(fixture.tiny / "target", "namaste vishva\nnamaste\n\nnamaste\nnamaste\n\xFF\n" + line_of(60) + "\n");
  const Strings pairs{"--source", fixture.tiny / "source", "--target", fixture.tiny / "target"};
  Strings per_token = pairs, json = pairs, stop = pairs;
  per_token.push_back("--per-token");
  json.push_back("--json");
  stop.insert(stop.end(), {"--on-bad-line", "stop"});
  const Outcome messages = fixture.run("score", per_token);
  const Strings lines = lines_of(messages.out);
  REQUIRE_EQ(lines.size(), 7);
  const Strings fields = parts_of(lines[0], "\t"), tokens = parts_of(fields.at(3), " ");
  REQUIRE_EQ(tokens.size(), 3);
  CHECK_EQ(fields[2], "3");
  CHECK(tokens[0].starts_with("namaste=-"));
  CHECK(tokens[1].starts_with("vishva=-"));
  CHECK(tokens[2].starts_with("</s>=-"));
  double sum = 0;
  for (const std::string& token : tokens) sum += std::stod(token.substr(token.find('=') + 1));
  CHECK_LT(std::abs(sum - std::stod(fields[1])), 1e-5);
  CHECK_LT(std::abs(sum / 3 - std::stod(fields[0])), 1e-5);
  CHECK_EQ(parts_of(lines[2], "\t").at(2), "1");  // no words are also a translation
  for (const std::size_t i : {1, 3, 4, 5, 6}) CHECK_EQ(lines[i], "");
  const Strings warnings = lines_of(messages.err);
  REQUIRE_EQ(warnings.size(), 6);
  for (const char* where : {"source:4:1]", "target:6:1]", "source:2]", "source:5]", "target:7]"})
    CHECK_NE(messages.err.find(where), messages.err.npos);
  check_error(messages, 1, {"5 of 7 lines not scored"});
  CHECK_EQ(json_object(lines_of(fixture.run("score", json).out).at(1)).at("score"), "null");
  check_refused(fixture.run("score", stop), 1, {"source:4:1]"});
  write_bytes(fixture.tiny / "target", "namaste\n");
  check_error(fixture.run("score", pairs), 1, {"target]", "7; got 1"});
}

TEST_CASE("unknown words are counted, and shown with -v") {
  const TranslatingRun fixture;
  std::set<std::string> known;
  for (const std::string& line : lines_of(read_bytes(fixture.tiny / "toy/train.en")))
    for (const std::string& word : parts_of(line, " ")) known.insert(word);
  for (const char* word : {"how", "are", "you"}) REQUIRE(known.contains(word));
  for (const char* word : {"I", "zebra"}) REQUIRE_FALSE(known.contains(word));
  const std::string text = "you I\nhow are you\nzebra you I I\n";
  const Outcome counted = succeeded(fixture.translate({}, text)), shown = succeeded(fixture.translate({"-v"}, text));
  CHECK_EQ(lines_of(shown.out).size(), 3);
  CHECK_EQ(counted.out, shown.out);
  CHECK_NE(shown.err.find("note: [standard input:1] unknown: I\nnote: [standard input:3] unknown: I (2 times) zebra\n"
                          "note: 4 unknown words in 2 lines, 2 distinct, read as <unk>\n"),
           std::string::npos);
  CHECK_EQ(counted.err, "note: 4 unknown words in 2 lines, 2 distinct, read as <unk>; -v lists them\n");
  CHECK_EQ(succeeded(fixture.translate({"-v"}, "how are you\n")).err.find("unknown"), std::string::npos);
}

TEST_CASE("evaluate scores lines that cannot be translated as empty, and counts them") {
  const TranslatingRun fixture;
  Strings sources = lines_of(read_bytes(fixture.tiny / "toy/test.en"));
  Strings references = lines_of(read_bytes(fixture.tiny / "toy/test.hi"));
  sources.resize(6), references.resize(6);
  const auto evaluate = [&](const Strings& more) {
    write_bytes(fixture.tiny / "text.en", fmt::format("{}\n", fmt::join(sources, "\n")));
    write_bytes(fixture.tiny / "text.hi", fmt::format("{}\n", fmt::join(references, "\n")));
    Strings arguments{"--source", fixture.tiny / "text.en", "--reference", fixture.tiny / "text.hi"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return fixture.run("evaluate", arguments);
  };
  const std::string second = sources[2];
  sources[2] = "";
  auto empty = json_object(succeeded(evaluate({"--json"})).out);
  CHECK_EQ(empty.at("untranslated"), "0");
  sources[2] = "\xFF";
  const Outcome bad = evaluate({"--json"});
  check_error(bad, 1, {"text.en]", "1 of 6 lines not translated"});
  auto scores = json_object(bad.out);
  for (const char* key : {"bleu", "chrf", "ter", "exact_match", "loss", "sentences"})
    CHECK_EQ(scores.at(key), empty.at(key));
  CHECK_EQ(scores.at("untranslated"), "1");
  CHECK_NE(evaluate({}).out.find("1 of the sentences not translated: scored as empty"), std::string::npos);
  check_refused(evaluate({"--on-bad-line", "stop"}), 1, {"text.en:3:1]"});

  sources[2] = line_of(300);
  const Outcome in_pieces = succeeded(evaluate({"--json"}));
  CHECK_EQ(json_object(in_pieces.out).at("in_pieces"), "1");
  CHECK_EQ(json_object(in_pieces.out).at("untranslated"), "0");
  CHECK_NE(succeeded(evaluate({})).out.find("1 of the sentences translated in pieces"), std::string::npos);

  sources = {line_of(300)}, references = {"namaste"};  // no pair is left for the loss
  CHECK_EQ(json_object(succeeded(evaluate({"--json"})).out).at("loss"), "null");
  references = {"\xFF"};  // a bad reference is not an untranslated line
  check_refused(evaluate({}), 1, {"text.hi:1:1]"});
  references = {"namaste"};
  CHECK_EQ(succeeded(evaluate({"--json", "--set", "data.max_tokens=64"})).status, 0);  // as a hint says
}

TEST_CASE("a reference that the vocabulary cannot express has no loss, but its translation is scored") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"data.unk_id=-1"}));
  const Strings english = lines_of(read_bytes(tiny / "toy/train.en")),
                hindi = lines_of(read_bytes(tiny / "toy/train.hi"));
  write_bytes(tiny / "test.en", english[0] + "\n" + english[1] + "\n");
  const auto evaluate = [&](const std::string& first) {
    write_bytes(tiny / "test.hi", first + "\n" + hindi[1] + "\n");
    return succeeded(glossa_program({"evaluate", tiny / "run", "--test", tiny / "test", "--json"}));
  };
  const Outcome known = evaluate(hindi[0]), unknown = evaluate("zebra");
  CHECK_EQ(known.err, "");
  CHECK_NE(unknown.err.find("test.hi:1]"), std::string::npos);
  CHECK_NE(unknown.err.find("the loss covers 1 pair"), std::string::npos);
  CHECK_EQ(json_object(unknown.out).at("sentences"), "2");
  CHECK_NE(json_object(unknown.out).at("loss"), json_object(known.out).at("loss"));
}

TEST_CASE("evaluate takes a prefix, a table, the run's test corpus or its held-out pairs") {
  const TinyRun tiny;
  const Strings english = lines_of(read_bytes(tiny / "toy/test.en")),
                hindi = lines_of(read_bytes(tiny / "toy/test.hi"));
  std::string table;
  for (std::size_t i = 0; i < english.size(); ++i) table += english[i] + "\t" + hindi[i] + "\n";
  write_bytes(tiny / "test.tsv", table);
  const std::string prefix = tiny / "toy/test";
  const auto scores = [&](const std::string& run, const Strings& more = {}) {
    Strings arguments{"evaluate", tiny / run, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto object = json_object(succeeded(glossa_program(arguments)).out);
    object.erase("seconds");
    object.erase("test");  // the corpus's name
    return object;
  };
  succeeded(tiny.train("run", {"data.test=" + prefix}));
  const auto expected = scores("run", {"--source", prefix + ".en", "--reference", prefix + ".hi"});
  CHECK_EQ(expected.at("sentences"), std::to_string(english.size()));
  CHECK_EQ(scores("run"), expected);
  CHECK_EQ(scores("run", {"--test", prefix}), expected);
  CHECK_EQ(scores("run", {"--test", tiny / "test.tsv"}), expected);
  const auto other = scores("run", {"--test", tiny / "toy/valid"});
  CHECK_NE(other.at("loss"), expected.at("loss"));

  succeeded(tiny.train("split", {"data.valid=", "data.split=30/20"}));
  CHECK_EQ(scores("split").at("sentences"), "20");
  CHECK_EQ(scores("split").at("held_out"), "true");
  CHECK_EQ(scores("run").at("held_out"), "false");
  for (const char* side : {"toy/train.en", "toy/train.hi"}) {  // pairs held out of less text were trained on
    Strings lines = lines_of(read_bytes(tiny / side));
    lines.resize(lines.size() / 2);
    write_bytes(tiny / side, fmt::format("{}\n", fmt::join(lines, "\n")));
  }
  check_error(glossa_program({"evaluate", tiny / "split"}), 1, {"[data.train]", "has changed", "--test"});
  succeeded(tiny.train("none"));
  check_refused(glossa_program({"evaluate", tiny / "none"}), 2, {"[data.test]"});
  check_refused(glossa_program({"evaluate", tiny / "run", "--test", tiny / "nowhere"}), 1, {"nowhere.en]"});
  check_refused(glossa_program({"evaluate", tiny / "run", "--source", prefix + ".en"}), 2, {"--reference"});
  check_refused(glossa_program({"evaluate", tiny / "run", "--source", prefix + ".en", "--reference", prefix + ".hi",
                                "--test", prefix}),
                2, {"--test"});
}
