#include "decoding/attention_maps.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "data/tokenizers/vocabulary_tokenizer.h"
#include "tests/decoding/translator_fixture.h"

using namespace glossa;
using namespace glossa::testing;
using Lines = std::vector<std::string>;

namespace {

AttentionMaps maps_of(Translator& translator, const std::string& line) {
  const Translator::Sources sources = translator.encode(Lines{line}, "text");
  return translator.attention(sources.ids.front(), translator.n_best(sources, 1).front().front());
}

}  // namespace

TEST_CASE("maps name the tokens read and written") {
  const TranslatorFixture fixture;
  Translator translator = fixture.translator();
  const AttentionMaps maps = maps_of(translator, "a1 a2 a3");
  CHECK(maps.source == Lines{"a1", "a2", "a3", "</s>"});
  REQUIRE(maps.target.size() >= 2);
  CHECK(maps.target.front() == "<s>");
  REQUIRE(maps.output.size() == maps.target.size());
  for (std::size_t i = 1; i < maps.target.size(); ++i) CHECK(maps.output[i - 1] == maps.target[i]);
  REQUIRE(maps.cross.size() == 1);
  REQUIRE(maps.cross[0].size() == 2);
  REQUIRE(maps.cross[0][1].size() == maps.output.size());
  CHECK(maps.cross[0][1][0].size() == 4);
  CHECK(maps.decoder[0][0][0].size() == maps.target.size());
  CHECK(maps.encoder[0][0].size() == 4);
}

TEST_CASE("the output tokens of maps have the probabilities that the search gave them") {
  const TranslatorFixture fixture;
  DecodeOptions decode;
  decode.max_length_factor = 0;
  decode.max_length_extra = 5;
  Translator translator = fixture.translator(decode);
  const Translator::Sources sources = translator.encode(Lines{"a1 a2 a3"}, "text");
  Translation translation = translator.n_best(sources, 1).front().front();
  REQUIRE_FALSE(translation.finished);
  const std::size_t count = translation.tokens.size();
  CHECK(translator.attention(sources.ids.front(), translation).probabilities.size() == count - 1);
  translation.finished = true;  // adds </s>
  const AttentionMaps maps = translator.attention(sources.ids.front(), translation);
  REQUIRE(maps.probabilities.size() == count + 1);
  REQUIRE(maps.output.size() == count + 1);
  double log_probability = 0;
  for (std::size_t i = 0; i < count; ++i) log_probability += std::log(maps.probabilities[i]);
  CHECK(log_probability == doctest::Approx(translation.log_probability).epsilon(1e-4));
}

TEST_CASE("a pair has the same maps in any batch") {
  const TranslatorFixture fixture;
  const EncodedCorpus pairs = encode(fixture.data, fixture.corpus, fixture.tokenizers);
  Context<float> context;
  const auto run = [&](std::int64_t max_tokens) {
    std::vector<AttentionMaps> all(static_cast<std::size_t>(pairs.size()));
    std::set<int> seen;
    for_each_attention(context, *fixture.transformer, fixture.tokenizers, pairs, {.max_tokens = max_tokens},
                       [&](int pair, AttentionMaps maps) {
                         CHECK(seen.insert(pair).second);
                         all[static_cast<std::size_t>(pair)] = std::move(maps);
                       });
    CHECK(std::ssize(seen) == pairs.size());
    return all;
  };
  const auto alone = run(1), together = run(200);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    CAPTURE(i);
    CHECK(alone[i].source == together[i].source);
    CHECK(alone[i].output == together[i].output);
    REQUIRE(alone[i].source.size() == pairs.source[i].size());
    for (std::size_t head = 0; head < 2; ++head)
      for (std::size_t q = 0; q < alone[i].cross[0][head].size(); ++q)
        for (std::size_t k = 0; k < alone[i].source.size(); ++k)
          CHECK(alone[i].cross[0][head][q][k] == doctest::Approx(together[i].cross[0][head][q][k]).epsilon(1e-4));
  }
}

TEST_CASE("words are aligned by the weights of all their tokens") {
  const AttentionMaps::Head head{{0.6F, 0.1F, 0.1F, 0.2F}, {0.1F, 0.3F, 0.4F, 0.2F}, {0.0F, 0.45F, 0.15F, 0.4F}};
  // Tokens 1 and 2 are one source word; token 3, </s>, is not one. Rows 1 and 2 write one word.
  const std::vector<int> source{0, 1, 1, -1};
  CHECK(align_words(head, source, std::vector<int>{0, 1, 1}) == Alignment{{0, 0}, {1, 1}});
  CHECK(align_words(head, source, std::vector<int>{0, 0, 1}) == Alignment{{1, 0}, {1, 1}});
  CHECK(align_words(head, source, std::vector<int>{0, -1, 1}) == Alignment{{0, 0}, {1, 1}});
  CHECK(align_words({{0.4F, 0.35F, 0.25F, 0}}, source, std::vector<int>{0}) == Alignment{{1, 0}});
  CHECK(align_words(head, std::vector<int>{-1, -1, -1, -1}, std::vector<int>{0, 1, 1}).empty());
  CHECK(align_words(head, source, std::vector<int>{-1, -1, -1}).empty());
  const std::vector<AttentionMaps::Head> heads{{{1, 0}}, {{0.5F, 0.5F}}};
  CHECK(mean_of_heads(heads) == AttentionMaps::Head{{0.75F, 0.25F}});
  CHECK(usual_alignment_layer(1) == 0);
  CHECK(usual_alignment_layer(6) == 4);
}

TEST_CASE("every word of a translation is aligned with a word of its own line, even in pieces") {
  TranslatorFixture fixture;
  fixture.data.encoding.max_length = 5;
  DecodeOptions decode;
  decode.beam = 2;
  Translator translator = fixture.translator(decode);
  const Lines lines{"a1 a2 a3", "", "a1 a2 a3 a4 a5 a6 a1. a2 a3 a4 a5 a6 a0 a1", "a2"};
  const auto plain = translator.n_best(translator.encode(lines, "text"), 2);
  translator.align(0);
  const auto found = translator.n_best(translator.encode(lines, "text"), 2);
  CHECK(found[1].empty());
  for (const std::size_t i : {0, 2, 3}) {
    CAPTURE(i);
    REQUIRE(found[i].size() == plain[i].size());
    for (std::size_t rank = 0; rank < found[i].size(); ++rank) {
      const Translation& t = found[i][rank];
      CHECK(t.text == plain[i][rank].text);
      CHECK(plain[i][rank].alignment.empty());
      REQUIRE(t.alignment.size() == split_words(t.text).size());
      for (std::size_t word = 0; word < t.alignment.size(); ++word) {
        CHECK(t.alignment[word].second == static_cast<Index>(word));
        CHECK(t.alignment[word].first < std::ssize(split_words(lines[i])));
      }
    }
  }
  // A piece is aligned as if alone, after the words before it.
  const auto parts = translator.n_best(translator.encode(Lines{"a1 a2 a3 a4", "a5 a6 a1."}, "text"), 1);
  const Alignment& whole = found[2][0].alignment;
  const std::size_t first = parts[0][0].alignment.size(), second = parts[1][0].alignment.size();
  REQUIRE(whole.size() > first + second);
  for (std::size_t k = 0; k < first; ++k) CHECK(whole[k] == parts[0][0].alignment[k]);
  for (std::size_t k = 0; k < second; ++k) {
    CHECK(whole[first + k].first == parts[1][0].alignment[k].first + 4);
    CHECK(whole[first + k].second == parts[1][0].alignment[k].second + static_cast<Index>(first));
  }
}

TEST_CASE("a translation cut off by the length limit has a row for each of its tokens") {
  const TranslatorFixture fixture;
  DecodeOptions decode;
  decode.max_length_factor = 0;
  decode.max_length_extra = 2;
  Translator translator = fixture.translator(decode);
  const Translator::Sources sources = translator.encode(Lines{"a1 a2 a3 a4 a5"}, "text");
  const Translation translation = translator.n_best(sources, 1).front().front();
  REQUIRE_FALSE(translation.finished);
  const AttentionMaps maps = translator.attention(sources.ids.front(), translation);
  CHECK(maps.output.size() == translation.tokens.size());
  CHECK(maps.output.back() == fixture.tokenizers.target->token(translation.tokens.back()));
}
