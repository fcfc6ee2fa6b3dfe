#include "data/tokenizers/vocabulary.h"

#include <doctest/doctest.h>

#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

const TokenCounts counts = {{"the", 5}, {"dog", 2}, {"cat", 2}, {"zebra", 1}, {"</s>", 9}};

std::string parse_error(std::string_view text) {
  return error_of<Error>([&] { Vocabulary::parse(text, "v.txt"); });
}

}  // namespace

TEST_CASE("tokens are in order of frequency, then of bytes, with special tokens at their ids") {
  const Vocabulary vocabulary = Vocabulary::build(counts);
  CHECK(vocabulary.serialize("words") ==
        "glossa-vocabulary words unk=0 pad=1 bos=2 eos=3\n<unk>\n<pad>\n<s>\n</s>\nthe\ncat\ndog\nzebra\n");
  CHECK(vocabulary.id("the") == 4);
  CHECK(vocabulary.token(5) == "cat");
  CHECK(vocabulary.id("never seen") == 0);
}

TEST_CASE("text cannot name a special token") {
  const Vocabulary vocabulary = Vocabulary::build(counts);
  for (const char* name : {"</s>", "<s>", "<pad>", "<unk>"}) CHECK(vocabulary.id(name) == 0);
}

TEST_CASE("special ids may be moved, and unk may be missing") {
  const Vocabulary moved = Vocabulary::build(counts, {.specials = {.unk = 6, .pad = 0, .bos = 7, .eos = 2}});
  CHECK(moved.token(0) == "<pad>");
  CHECK(moved.token(1) == "the");
  CHECK(moved.token(2) == "</s>");
  CHECK(moved.token(6) == "<unk>");
  CHECK(moved.token(7) == "<s>");
  CHECK(moved.id("never seen") == 6);
  const SpecialIds padded{.unk = 1, .pad = 6, .bos = 6, .eos = 0};
  const Vocabulary starts_with_padding = Vocabulary::build(counts, {.specials = padded});
  CHECK(starts_with_padding.size() == 7);
  CHECK(starts_with_padding.token(6) == "<pad>");
  CHECK(starts_with_padding.id("<pad>") == 1);
  const Vocabulary closed = Vocabulary::build({{"a", 1}, {"<unk>", 1}}, {.specials = {-1, 0, 1, 2}});
  CHECK(closed.size() == 5);
  CHECK(closed.id("b") == -1);
  CHECK(closed.id("<unk>") == 3);  // an ordinary word here
}

TEST_CASE("rare tokens and those beyond the size are left out") {
  CHECK(Vocabulary::build(counts, {.min_frequency = 2}).size() == 7);
  const Vocabulary small = Vocabulary::build(counts, {.max_size = 6});
  CHECK(small.size() == 6);
  CHECK(small.id("dog") == 0);
  CHECK(contains(error_of<Error>([&] { Vocabulary::build(counts, {.min_frequency = 10}); }), "frequency 10"));
  CHECK(contains(error_of<Error>([&] { Vocabulary::build(counts, {.max_size = 4}); }), "besides the special ones"));
}

TEST_CASE("special ids are distinct and inside the vocabulary, and pad, bos and eos are required") {
  for (const SpecialIds& bad :
       {SpecialIds{0, 1, 2, 2}, SpecialIds{0, -1, 2, 3}, SpecialIds{0, 1, -1, 3}, SpecialIds{0, 1, 2, -1},
        SpecialIds{-2, 1, 2, 3}, SpecialIds{0, 1, 2, 8}, SpecialIds{0, 2, 2, 2}, SpecialIds{2, 2, 2, 3}})
    CHECK(contains(error_of<Error>([&] { Vocabulary::build(counts, {.specials = bad}); }), "special ids"));
}

TEST_CASE("a written vocabulary is read back, byte for byte") {
  for (const SpecialIds& specials :
       {SpecialIds{}, SpecialIds{-1, 0, 1, 2}, SpecialIds{6, 0, 7, 2}, SpecialIds{1, 6, 6, 0}}) {
    const std::string text = Vocabulary::build(counts, {.specials = specials}).serialize("words");
    const Vocabulary copy = Vocabulary::parse(text, "v.txt");
    CHECK(copy.serialize("words") == text);
    CHECK(copy.specials() == specials);
    CHECK(Vocabulary::kind(text) == "words");
  }
  CHECK(Vocabulary::kind("the\ndog\n").empty());
}

TEST_CASE("damaged vocabulary files are refused with file and line") {
  const std::string header = "glossa-vocabulary words unk=0 pad=1 bos=2 eos=3\n";
  const std::string specials = "<unk>\n<pad>\n<s>\n</s>\n";
  CHECK(parse_error(header + specials + "a\n").empty());
  CHECK(contains(parse_error(""), "[v.txt:1] expected a header"));
  CHECK(contains(parse_error("a\nb\n"), "[v.txt:1] expected a header"));
  CHECK(
      contains(parse_error("glossa-vocabulary words unk=0 pad=x bos=2 eos=3\na\n"), "[v.txt:1] expected `pad=NUMBER`"));
  CHECK(contains(parse_error("glossa-vocabulary words unk=0 pad=1x bos=2 eos=3\na\n"),
                 "[v.txt:1] expected `pad=NUMBER`"));
  CHECK(contains(parse_error("glossa-vocabulary words unk=0\na\n"), "[v.txt:1] expected `pad=NUMBER`"));
  CHECK(contains(parse_error(header + specials + "a"), "truncated last line"));
  CHECK(contains(parse_error(header), "at least one token besides"));
  CHECK(contains(parse_error(header + specials), "at least one token besides"));
  CHECK(contains(parse_error(header + "<unk>\n<pad>\n<s>\na\nb\n"), "[v.txt:5] expected the special token </s>"));
  CHECK(contains(parse_error(header + specials + "a\nb\na\n"),
                 "[v.txt:8] expected every token once; got `a` also as id 4"));
  CHECK(contains(parse_error(header + specials + "a\n<s>\n"), "[v.txt:7] expected every token once"));
  CHECK(contains(parse_error(header + specials + "a\n\nb\n"), "[v.txt:7] expected a token; got an empty line"));
}

TEST_CASE("ids out of range are errors") {
  const Vocabulary vocabulary = Vocabulary::build(counts);
  CHECK(error_of<Error>([&] { vocabulary.token(8); }) == "[vocabulary] expected an id from 0 to 7; got 8");
  CHECK(contains(error_of<Error>([&] { vocabulary.token(-1); }), "got -1"));
}
