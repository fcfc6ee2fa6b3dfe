#include "decoding/translator.h"

#include <doctest/doctest.h>

#include <set>

#include "data/text/line_pieces.h"
#include "data/tokenizers/vocabulary_tokenizer.h"
#include "tests/decoding/translator_fixture.h"
#include "tests/support/long_lines.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
using Lines = std::vector<std::string>;

namespace {

/// The pieces of a line that have tokens.
std::vector<std::string_view> pieces_of(const Translator& translator, std::string_view line) {
  const auto length = [&](std::string_view piece) { return std::ssize(translator.source_ids(piece, "text", 1)); };
  std::vector<std::string_view> pieces{line};
  if (length(line) > 4) pieces = cut_line(line, [&](std::string_view piece) { return length(piece) <= 4; });
  std::erase_if(pieces, [&](std::string_view piece) { return length(piece) == 0; });
  return pieces;
}

/// The index of the line's word in which a piece begins, in plain steps: one less than the words before it if they
/// end in its middle.
Index words_before(std::string_view line, std::string_view piece) {
  const std::string_view before = line.substr(0, static_cast<std::size_t>(piece.data() - line.data()));
  const auto words = [](std::string_view text) { return std::ssize(split_words(text)); };
  if (before.empty()) return 0;
  return words(before) - (words(line) < words(before) + words(line.substr(before.size())) ? 1 : 0);
}

}  // namespace

TEST_CASE("every line is translated in its place; one without a token gives an empty line") {
  const TranslatorFixture fixture;
  Translator translator = fixture.translator();
  const Lines lines{"", "a1 a2 a3", " ", "a5", "a4 a4 a0 a6 a1 a2", ""};
  const Lines translated = translator.translate(lines, "text");
  REQUIRE_EQ(translated.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(i);
    CHECK_EQ(translated[i], translator.translate(Lines{lines[i]}, "text").front());
    CHECK_EQ(translated[i].empty(), i % 2 == 0 && i != 4 ? true : i == 5);
  }
  CHECK_NE(translated[1], translated[3]);
  CHECK_NE(translated[3], translated[4]);
}

TEST_CASE("a sample depends on its line's number, not on where a text is cut") {
  const TranslatorFixture fixture;
  DecodeOptions decode;
  decode.sample = true;
  Translator translator = fixture.translator(decode);
  const Lines lines{"a1 a2", "", "a1 a2", "a1 a2"};
  const Lines whole = translator.translate(lines, "text", 5);
  CHECK_NE(whole[0], whole[2]);
  CHECK_NE(whole[2], whole[3]);
  for (std::size_t i = 0; i < lines.size(); ++i)
    CHECK_EQ(translator.translate(Lines{lines[i]}, "text", 5 + static_cast<std::int64_t>(i)).front(), whole[i]);
}

TEST_CASE("a line with as many tokens as the model has positions is read whole, a longer one in pieces") {
  TranslatorFixture fixture;
  fixture.data.encoding.max_length = 5;
  const Translator translator = fixture.translator();
  const Lines lines{"a1", "a1 a1 a1 a1 a1 a1 a1 a1 a1 a1 a1", "a1 a2 a3 a4 a5 a6 a1. a2 a3 a4 a5 a6", "a2"};
  const Translator::Sources sources = translator.encode(lines, "text", 7);
  std::vector<std::size_t> lengths;
  for (const std::vector<int>& piece : sources.ids) lengths.push_back(piece.size());
  // 11 and </s>, then the sentence of 7 words in halves of at most 4, as in training, and the one of 5.
  CHECK_EQ(lengths, std::vector<std::size_t>{2, 12, 5, 4, 4, 3, 2});
  CHECK_EQ(sources.lines, std::vector<std::size_t>{0, 1, 2, 2, 2, 2, 3});
  CHECK_EQ(sources.count, 4);
  CHECK_EQ(sources.in_pieces, 1);
  CHECK_EQ(sources.numbers[2], 9);  // the first piece draws like the line
  CHECK_EQ(std::set(sources.numbers.begin(), sources.numbers.end()).size(), 7);
}

TEST_CASE("the pieces of a line have numbers distinct from each other and from all lines") {
  CHECK_EQ(piece_number(7, 0), 7);
  CHECK_EQ(piece_number(0, 1), std::int64_t{1} << 40);
  CHECK_LT(piece_number(1'000'000'000'000, 0), piece_number(0, 1));
  CHECK_NE(piece_number(7, 1), piece_number(8, 0));
  CHECK_NE(piece_number(7, 2), piece_number(8, 1));
}

TEST_CASE("a line in pieces joins the pieces' translations and combines their scores") {
  const TranslatorFixture fixture;
  DecodeOptions decode;
  decode.beam = 3;
  Translator translator = fixture.translator(decode);
  const Lines pieces{"a1 a2 a3 a4 a5 a6 a1.", "a2 a3 a4 a5 a6"};
  const Lines lines{"a4", pieces[0] + " " + pieces[1], "a5"};
  const auto found = translator.n_best(translator.encode(lines, "text"), 3);
  const auto parts = translator.n_best(translator.encode(pieces, "text"), 1);
  REQUIRE_EQ(found.size(), 3);
  CHECK_EQ(found[0].size(), 3);
  CHECK_EQ(found[1].size(), 3);
  CHECK_EQ(found[2].size(), 3);
  const Translation &whole = found[1][0], &one = parts[0][0], &two = parts[1][0];
  CHECK_EQ(whole.text, one.text + " " + two.text);
  CHECK_EQ(whole.log_probability, doctest::Approx(one.log_probability + two.log_probability).epsilon(1e-5));
  // alpha is 1: the mean over all tokens.
  const double tokens = one.log_probability / one.score + two.log_probability / two.score;
  CHECK_EQ(whole.score, doctest::Approx(whole.log_probability / tokens).epsilon(1e-4));
  CHECK_EQ(translator.translate(lines, "text")[1], whole.text);
}

TEST_CASE("the sentences of a line are translated one by one if lines are split, and whole otherwise") {
  const TranslatorFixture fixture;
  Translator translator = fixture.translator();
  const Lines lines{"A1 a2.  A3 a4 a5! A6", "a1 a2. a3", "", " a5 a4? "}, sentences{"A1 a2.", "A3 a4 a5!", "A6"};
  const Lines whole = translator.translate(lines, "text");
  translator.split_sentences(true);
  const Lines split = translator.translate(lines, "text");
  const Lines alone = translator.translate(sentences, "text");
  CHECK_EQ(split[0], alone[0] + "  " + alone[1] + " " + alone[2]);
  CHECK_NE(split[0], whole[0]);
  for (const std::size_t i : {1, 2, 3}) CHECK_EQ(split[i], whole[i]);  // no certain end within the line
  const Translator::Sources sources = translator.encode(lines, "text", 5);
  CHECK_EQ(sources.lines, std::vector<std::size_t>{0, 0, 0, 1, 3});
  CHECK_EQ(sources.first_words, std::vector<Index>{0, 2, 5, 0, 0});
  CHECK(sources.gaps == std::vector<Gap>{{}, {.spaces = 2, .extra = 1}, {.spaces = 1}, {}, {}});
  CHECK_EQ(sources.numbers, std::vector<std::int64_t>{5, piece_number(5, 1), piece_number(5, 2), 6, 8});
  CHECK_EQ(sources.in_pieces, 0);
}

TEST_CASE(
    "each sentence has the prefix; a sentence that is too long is cut, and one unreadable sentence fails its line") {
  TranslatorFixture fixture;
  fixture.data.encoding.max_length = 5;
  fixture.data.encoding.source_prefix = "a6";
  Translator translator = fixture.translator();
  translator.split_sentences(true);
  Translator::Sources sources = translator.encode(Lines{"A1. A2 a1 a2 a3 a4 a5 a6 a1 a2 a3 a4 a5 a6. A3"}, "text");
  CHECK_EQ(sources.in_pieces, 1);
  REQUIRE_GT(sources.ids.size(), 3);
  for (const std::vector<int>& ids : sources.ids) CHECK_EQ(ids.front(), sources.ids.front().front());
  CHECK_EQ(sources.ids.front().size(), 3);
  CHECK_EQ(sources.ids.back().size(), 3);

  fixture.data.encoding.source_prefix = "";
  fixture.data.specials.unk = -1;
  fixture.data.specials.pad = 0, fixture.data.specials.bos = 1, fixture.data.specials.eos = 2;
  fixture.tokenizers = train_tokenizers(fixture.data, fixture.corpus);
  Translator strict = fixture.translator();
  strict.split_sentences(true);
  CHECK(error_of<LineError>([&] { strict.add(sources = {}, "a1! A1 a2", "text", 2); }).starts_with("[text:2] "));
  CHECK(sources.ids.empty());
  CHECK_EQ(sources.count, 1);
}

TEST_CASE("the k-th translation of a line joins the k-th of each sentence, or the last of one that has fewer") {
  const TranslatorFixture fixture;
  Translator translator = fixture.translator();
  const auto make = [](const std::string& text, double log_probability, bool finished = true) {
    return Translation{{.tokens = {7, 8}, .log_probability = log_probability, .finished = finished}, text};
  };
  const std::vector<std::vector<Translation>> lists{{make("Un.", -1), make("Une.", -2)},
                                                    {make("Deux.", -1)},
                                                    {},
                                                    {make("3.", -1), make("4.", -4, false), make("5.", -5)}};
  auto pieces = lists;
  const std::vector<Translation> found = translator.joined(pieces, std::vector<Gap>{{}, {}, {4, 3}, {2, 1}});
  REQUIRE_EQ(found.size(), 3);
  CHECK_EQ(found[0].text, "Un. Deux.  3.");
  CHECK_EQ(found[1].text, "Une. Deux.  4.");
  CHECK_EQ(found[2].text, "Une. Deux.  5.");
  CHECK_EQ(found[0].log_probability, -3);
  CHECK_EQ(found[0].score, doctest::Approx(-3.0 / 9));
  CHECK_EQ(found[1].score, doctest::Approx(-7.0 / 8));
  CHECK(found[0].finished);
  CHECK_FALSE(found[1].finished);
  CHECK_EQ(found[0].tokens.size(), 6);
  pieces = {{make("a", -1), make("a b", -2)}, {make("b c", -1), make("c", -2)}};
  CHECK_EQ(translator.joined(pieces, std::vector<Gap>(2)).size(), 1);  // both are "a b c"
  pieces = {lists[0]};
  CHECK_EQ(translator.joined(pieces, std::vector<Gap>(1)).size(), 2);
  CHECK(translator.joined({}, {}).empty());
}

TEST_CASE("hypotheses that cut a text into different tokens are one translation, with the better score") {
  TranslatorFixture fixture;
  fixture.data.tokenizer = DataConfig::Tokenizer::sentencepiece;
  fixture.data.shared_vocabulary = true;
  fixture.data.vocab_size = 26;
  fixture.tokenizers = train_tokenizers(fixture.data, fixture.corpus);
  const Tokenizer& tokenizer = *fixture.tokenizers.target;
  std::vector<std::vector<int>> cuts;  // of "b1"
  const auto add_if_cut = [&](std::vector<int> ids) {
    if (tokenizer.decode(ids) == "b1") cuts.push_back(std::move(ids));
  };
  const int size = static_cast<int>(tokenizer.vocabulary_size());
  for (int a = 4; a < size; ++a) {
    add_if_cut({a});
    for (int b = 4; b < size; ++b) add_if_cut({a, b});
  }
  REQUIRE_GE(cuts.size(), 2);
  const std::vector<int> other = tokenizer.encode("b2 b1");
  const std::vector<Translation> found = fixture.translator().translations(std::vector<Hypothesis>{
      {.tokens = cuts[1], .score = -1}, {.tokens = other, .score = -2}, {.tokens = cuts[0], .score = -3}});
  REQUIRE_EQ(found.size(), 2);
  CHECK_EQ(found[0].score, -1);
  CHECK_EQ(found[1].text, "b2 b1");
}

TEST_CASE("the translations of a line are of its own text, best first") {
  const TranslatorFixture fixture;
  DecodeOptions decode;
  decode.beam = 4;
  Translator translator = fixture.translator(decode);
  const Lines lines{"a1 a2 a3", "", "a5"};
  const Lines best = translator.translate(lines, "text");
  const auto found = translator.n_best(translator.encode(lines, "text"), 4);
  CHECK(found[1].empty());
  for (const std::size_t i : {0, 2}) {
    REQUIRE_EQ(found[i].size(), 4);
    CHECK_EQ(found[i][0].text, best[i]);
    CHECK_LT(found[i][0].log_probability, 0);
    CHECK_NE(found[i][0].text, found[i][1].text);
  }
}

TEST_CASE("a line that cannot be translated is named, and keeps its place without a piece") {
  TranslatorFixture fixture;
  fixture.data.specials.unk = -1;
  fixture.data.specials.pad = 0, fixture.data.specials.bos = 1, fixture.data.specials.eos = 2;
  fixture.tokenizers = train_tokenizers(fixture.data, fixture.corpus);
  const Translator translator = fixture.translator();
  Translator::Sources sources;
  translator.add(sources, "a1 a2", "text", 1);
  const std::string error = error_of<LineError>([&] { translator.add(sources, "a1 zebra", "text", 2); });
  translator.add(sources, "a3", "text", 3);
  CHECK(error.starts_with("[text:2] "));
  CHECK_NE(error.find("`zebra`"), error.npos);
  CHECK_EQ(sources.count, 3);
  CHECK_EQ(sources.lines, std::vector<std::size_t>{0, 2});
}

TEST_CASE("a line that is too long and cannot be cut is named") {
  TranslatorFixture fixture;
  fixture.data.encoding.max_length = 1;
  const Translator translator = fixture.translator();
  Translator::Sources sources;
  std::string line;
  for (int i = 0; i < 13; ++i) line += "a1 ";
  const std::string error = error_of<LineError>([&] { translator.add(sources, line, "text", 4); });
  CHECK(error.starts_with("[text:4] expected at most 1 tokens (model.max_positions, data.max_length); got 2 for `a` "));
  CHECK(sources.ids.empty());
  CHECK_EQ(sources.in_pieces, 0);
}

TEST_CASE("a line of a megabyte, of any shape, is cut with work that grows with its length") {
  const TranslatorFixture fixture;
  const Translator translator = fixture.translator();
  for (const std::string& line : lines_of_a_megabyte()) {
    CAPTURE(line.substr(0, 10));
    Translator::Sources sources;
    std::size_t steps = 0;
    translator.add(sources, line, "text", 1, [&] { ++steps; });
    // A piece costs one step, and each halving that leads to pieces one; a line may also fit as it is.
    CHECK_LE(steps, 3 * sources.ids.size() + 1);
    CHECK_LE(sources.ids.size(), line.size() / 2);
  }
}

TEST_CASE("the words before each piece are those of the line, however it is cut") {
  const TranslatorFixture fixture(4);
  const Translator translator = fixture.translator();
  RandomStream random(1, "cut lines");
  for (int trial = 0; trial < 200; ++trial) {
    std::string line;
    for (std::uint64_t i = 0, length = 1 + random.below(40); i < length; ++i)
      line += std::vector<std::string>{"a1", " ", "  ", "a2.", "\u3002", "a", "\t", "!", " \" "}[random.below(9)];
    Translator::Sources sources;
    translator.add(sources, line, "text", 1);
    std::vector<Index> expected;
    for (const std::string_view piece : pieces_of(translator, line)) expected.push_back(words_before(line, piece));
    CHECK_EQ(sources.first_words, expected);
  }
}

TEST_CASE("cutting a long line stops when its interrupt throws") {
  const TranslatorFixture fixture;
  const Translator translator = fixture.translator();
  std::string line;
  for (int i = 0; i < 1000; ++i) line += "a1 ";
  Translator::Sources sources;
  int steps = 0;
  const auto interrupt = [&] {
    if (++steps == 5) throw std::runtime_error("late");
  };
  CHECK_THROWS_WITH_AS(translator.add(sources, line, "text", 1, interrupt), "late", std::runtime_error);
  CHECK_EQ(steps, 5);
}
