#include "decoding/mbr.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/parallel.h"
#include "base/random.h"
#include "data/tokenizers/vocabulary_tokenizer.h"
#include "decoding/scores/bleu.h"
#include "decoding/scores/chrf.h"
#include "tests/decoding/translator_fixture.h"

using namespace glossa;
using namespace glossa::testing;
using Lines = std::vector<std::string>;

namespace {

constexpr MbrUtility both_utilities[] = {MbrUtility::chrf, MbrUtility::bleu};

/// The sentence score of a text, from the corpus of this line alone.
double score_alone(const std::string& text, const std::string& reference, MbrUtility utility) {
  const Lines texts{text}, references{reference};
  return utility == MbrUtility::chrf ? corpus_chrf(texts, references)
                                     : corpus_bleu(texts, references, {.effective_order = true}).score;
}

/// A text of up to four words, often one that was drawn before.
std::string random_text(RandomStream& random) {
  std::string text;
  for (std::uint64_t n = random.below(5); n > 0; --n)
    text += (text.empty() ? "w" : " w") + std::to_string(random.below(3));
  return text;
}

Hypothesis hypothesis_of(const Tokenizer& target, const std::string& text) {
  return {.tokens = target.encode_line(text, "text", 1), .score = -1, .log_probability = -2, .finished = true};
}

}  // namespace

TEST_CASE("a mean utility is the mean score with each sample, equal ones included") {
  RandomStream random(2, "texts");
  for (int round = 0; round < 200; ++round) {
    const std::size_t samples = 1 + random.below(12);
    Lines texts(samples + random.below(2));
    for (std::string& text : texts) text = random_text(random);
    for (const MbrUtility utility : both_utilities) {
      const std::vector<double> utilities = mean_utilities(texts, samples, utility);
      REQUIRE_EQ(utilities.size(), texts.size());
      for (std::size_t i = 0; i < texts.size(); ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < samples; ++j) sum += score_alone(texts[i], texts[j], utility);
        CHECK_EQ(utilities[i], doctest::Approx(sum / static_cast<double>(samples)).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("mean utilities by hand: one sample of four is different") {
  const Lines texts{"a", "b", "a", "a", "b"};  // the last is a candidate, not a sample
  for (const MbrUtility utility : both_utilities) {
    const std::vector<double> utilities = mean_utilities(texts, 4, utility);
    CHECK_EQ(utilities[0], doctest::Approx(75));
    CHECK_EQ(utilities[1], doctest::Approx(25));
    CHECK_EQ(utilities[4], doctest::Approx(25));
  }
  CHECK_THROWS_AS(mean_utilities(texts, 0, MbrUtility::chrf), Error);
  CHECK_THROWS_AS(mean_utilities(texts, 6, MbrUtility::chrf), Error);
}

TEST_CASE("the best candidates have different texts; of equally good ones the earlier comes first") {
  const TranslatorFixture fixture;
  const Tokenizer& target = *fixture.tokenizers.target;
  std::vector<Hypothesis> candidates;
  for (const char* text : {"b1", "b2 b3", "b0 b0", "b2 b3", "b1", "b4 b4"})
    candidates.push_back(hypothesis_of(target, text));
  candidates[4].log_probability = -7;
  for (const MbrUtility utility : both_utilities) {
    const Lines texts{"b1", "b2 b3", "b0 b0", "b2 b3", "b1", "b4 b4"};
    const std::vector<double> utilities = mean_utilities(texts, 5, utility);
    const std::vector<Hypothesis> best = mbr_best(candidates, 5, target, utility, 9);
    REQUIRE_EQ(best.size(), 4);  // of six
    Lines found;
    for (const Hypothesis& each : best) found.push_back(target.decode(each.tokens));
    Lines expected{texts[0], texts[1], texts[2], texts[5]};
    std::ranges::stable_sort(expected, std::greater(), [&](const std::string& text) {
      return utilities[static_cast<std::size_t>(std::ranges::find(texts, text) - texts.begin())];
    });
    CHECK_EQ(found, expected);
    CHECK_EQ(found.back(), "b4 b4");  // like no sample
    for (const Hypothesis& each : best)
      if (target.decode(each.tokens) == "b1") CHECK_EQ(each.log_probability, -2);
    CHECK_EQ(best.front().score, std::ranges::max(utilities));
    const std::vector<Hypothesis> two = mbr_best(candidates, 5, target, utility, 2);
    REQUIRE_EQ(two.size(), 2);
    CHECK_EQ(two[1].tokens, best[1].tokens);
  }
  // With one sample of each, equally far from each other, the order stays.
  std::vector<Hypothesis> different;
  for (const char* text : {"b3", "b1", "b2"}) different.push_back(hypothesis_of(target, text));
  for (const MbrUtility utility : both_utilities) {
    const std::vector<Hypothesis> best = mbr_best(different, 3, target, utility, 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK_EQ(best[i].tokens, different[i].tokens);
  }
}

TEST_CASE("a translator returns the candidate with the highest mean utility") {
  const TranslatorFixture fixture;
  const Lines& lines = fixture.corpus.source;
  constexpr std::size_t count = 40;
  int by_beam_best = 0;  // sentences for which beam search's translation is better than all samples
  for (const MbrUtility utility : both_utilities)
    for (const Index beam : {1, 3}) {
      DecodeOptions decode{.beam = beam, .top_p = 0.95, .seed = 3, .mbr = count, .mbr_utility = utility};
      Translator translator = fixture.translator(decode);
      const Translator::Sources sources = translator.encode(lines, "text");
      const auto found = translator.n_best(sources, 4);
      const std::vector<Hypothesis> searched = translator.search(sources);
      const std::vector<std::string> translated = translator.translate(sources);

      Searcher<float> searcher;
      const SpecialIds& specials = fixture.tokenizers.target->specials();
      std::vector<std::vector<Hypothesis>> candidates =
          searcher.sample(*fixture.transformer, sources.ids, specials, decode, count, sources.numbers);
      decode.mbr = 0;
      const std::vector<Hypothesis> by_beam =
          searcher.decode(*fixture.transformer, sources.ids, specials, decode, sources.numbers);
      for (std::size_t i = 0; i < lines.size(); ++i) {
        CAPTURE(i);
        if (beam > 1) candidates[i].push_back(by_beam[i]);
        Lines texts;
        for (const Hypothesis& each : candidates[i]) texts.push_back(fixture.tokenizers.target->decode(each.tokens));
        const std::vector<double> utilities = mean_utilities(texts, count, utility);
        const auto best = static_cast<std::size_t>(std::ranges::max_element(utilities) - utilities.begin());
        by_beam_best += best == count;
        CHECK_EQ(translated[i], texts[best]);
        CHECK_EQ(searched[i].tokens, candidates[i][best].tokens);
        CHECK_EQ(searched[i].score, utilities[best]);
        REQUIRE_GE(found[i].size(), 1);
        CHECK_EQ(found[i][0].text, texts[best]);
        CHECK_EQ(found[i][0].score, utilities[best]);
        CHECK_EQ(found[i][0].log_probability, candidates[i][best].log_probability);
        for (std::size_t k = 1; k < found[i].size(); ++k) CHECK_LE(found[i][k].score, found[i][k - 1].score);
      }
    }
  CHECK_GT(by_beam_best, 0);
}

TEST_CASE("minimum Bayes risk decoding does not depend on batches, threads, neighbors or the division of the search") {
  const TranslatorFixture fixture;
  const Lines& lines = fixture.corpus.source;
  const DecodeOptions decode{.beam = 2, .mbr = 16};
  const auto found = [&](Index max_tokens) {
    DecodeOptions options = decode;
    options.max_tokens = max_tokens;
    Translator translator = fixture.translator(options);
    std::vector<Translation> all;
    for (std::vector<Translation>& line : translator.n_best(translator.encode(lines, "text"), 3))
      std::ranges::move(line, std::back_inserter(all));
    return all;
  };
  const int before = threads();
  const std::vector<Translation> expected = found(decode.max_tokens);
  for (const Index max_tokens : {1, 7, 60, 100000}) {
    std::vector<Translation> of_one_thread;
    for (const int count : {1, 3}) {
      set_threads(count);
      const std::vector<Translation> others = found(max_tokens);
      if (count == 1) of_one_thread = others;
      REQUIRE_EQ(others.size(), expected.size());
      for (std::size_t i = 0; i < others.size(); ++i) {
        CHECK_EQ(others[i].text, expected[i].text);
        CHECK_EQ(others[i].score, expected[i].score);
        CHECK_EQ(others[i].log_probability, of_one_thread[i].log_probability);  // other batches round differently
      }
    }
  }
  set_threads(before);
  Translator translator = fixture.translator(decode);
  const Lines whole = translator.translate(lines, "text");
  for (std::size_t i = 0; i < lines.size(); ++i)
    CHECK_EQ(translator.translate(Lines{lines[i]}, "text", static_cast<std::int64_t>(i) + 1).front(), whole[i]);
  CHECK_NE(fixture.translator({.beam = 2, .seed = 2, .mbr = 16}).translate(lines, "text"), whole);

  // Three processes in turn: each searches its batches, and the lists of all are merged.
  std::vector<std::vector<std::vector<Hypothesis>>> merged(2);  // of the samples, and of beam search
  for (int round = 0; round < 2; ++round)
    for (int index = 0; index < 3; ++index) {
      DecodeOptions small = decode;
      small.max_tokens = 30;
      Translator part = fixture.translator(small);
      std::size_t search = 0;
      part.divide({.index = index, .count = 3, .complete = [&](std::vector<std::vector<Hypothesis>>& found) {
                     auto& all = merged[search++];
                     all.resize(found.size());
                     for (std::size_t i = 0; i < found.size(); ++i) {
                       if (!found[i].empty()) all[i] = found[i];
                       if (all[i].empty()) all[i].resize(1);  // of a later process
                     }
                     found = all;
                   }});
      const Lines translated = part.translate(lines, "text");
      if (round == 1) CHECK_EQ(translated, whole);
    }
}

TEST_CASE("with minimum Bayes risk decoding, pieces have a mean utility, and progress counts pieces") {
  const TranslatorFixture fixture;
  const DecodeOptions decode{.beam = 2, .mbr = 5};
  Translator translator = fixture.translator(decode);
  translator.split_sentences(true);
  const Lines lines{"A1 a2. A3 a4.", "", "a5"};
  Index done = 0, calls = 0;
  translator.watch([&](Index count) { done += count, ++calls; });
  const Translator::Sources sources = translator.encode(lines, "text");
  REQUIRE_EQ(sources.ids.size(), 3);
  const auto found = translator.n_best(sources, 2);
  CHECK_EQ(done, 3);
  CHECK_GE(calls, 2);
  CHECK(found[1].empty());
  const std::vector<Hypothesis> pieces = translator.search(sources);
  CHECK_EQ(done, 6);
  CHECK_EQ(found[0][0].score, doctest::Approx((pieces[0].score + pieces[1].score) / 2));
  CHECK_EQ(found[0][0].log_probability, doctest::Approx(pieces[0].log_probability + pieces[1].log_probability));
  CHECK_EQ(found[2][0].score, pieces[2].score);

  CHECK_EQ(mbr_candidates(decode), 6);
  CHECK_NOTHROW(translator.n_best(sources, 6));
  CHECK_THROWS_WITH_AS(translator.n_best(sources, 7),
                       "[n_best] expected 1 to 6 translations (the candidates of decode.mbr); got 7", Error);
  CHECK_EQ(mbr_candidates({.beam = 1, .mbr = 5}), 5);
}
