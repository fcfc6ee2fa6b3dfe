#include "decoding/scoring.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/decoding/translator_fixture.h"

using namespace glossa;
using namespace glossa::testing;

TEST_CASE("given translations get the scores that the search gives its own, with every length penalty and softmax") {
  const TranslatorFixture fixture;
  DecodeOptions decode;
  decode.beam = 4;
  decode.alpha = 0.7;
  decode.forbidden = {5, 7};
  decode.min_length = 2;
  int compared = 0;
  for (const auto& [penalty, renormalize] : {std::pair{LengthPenalty::none, false},
                                             {LengthPenalty::power, false},
                                             {LengthPenalty::gnmt, false},
                                             {LengthPenalty::power, true}}) {
    decode.length_penalty = penalty;
    decode.renormalize = renormalize;
    Translator translator = fixture.translator(decode);
    EncodedCorpus pairs;
    std::vector<Hypothesis> hypotheses;
    const Translator::Sources sources = translator.encode(fixture.corpus.source, "text");
    const std::vector<std::vector<Hypothesis>> found =
        Searcher<float>().n_best(*fixture.transformer, sources.ids, pairs.specials, decode, 4);
    for (std::size_t i = 0; i < found.size(); ++i)
      for (const Hypothesis& h : found[i]) {
        if (!h.finished) continue;
        pairs.source.push_back(sources.ids[i]);
        pairs.target.push_back(h.tokens);
        hypotheses.push_back(h);
      }
    Context<float> context;
    for (const std::int64_t max_tokens : {1, 4096}) {
      const std::vector<ScoredTranslation> scored =
          score_translations(context, *fixture.transformer, pairs, decode, max_tokens);
      REQUIRE_EQ(scored.size(), hypotheses.size());
      for (std::size_t i = 0; i < scored.size(); ++i) {
        CHECK_EQ(scored[i].log_probability, doctest::Approx(hypotheses[i].log_probability).epsilon(1e-4));
        CHECK_EQ(scored[i].score, doctest::Approx(hypotheses[i].score).epsilon(1e-4));
        REQUIRE_EQ(hypotheses[i].token_log_probabilities.size(), scored[i].tokens.size());
        for (std::size_t k = 0; k < scored[i].tokens.size(); ++k)
          CHECK_LT(std::abs(hypotheses[i].token_log_probabilities[k] - scored[i].tokens[k].log_probability), 1e-4);
        ++compared;
      }
    }
  }
  CHECK_GT(compared, 100);
}

TEST_CASE("with renormalize, a token that the search excludes keeps its share of the whole softmax") {
  const TranslatorFixture fixture;
  EncodedCorpus pairs;
  pairs.source = {{4, pairs.specials.eos}};
  pairs.target = {{5, 6}};
  Context<float> context;
  const auto scores = [&](const DecodeOptions& options) {
    return score_translations(context, *fixture.transformer, pairs, options, 100)[0].tokens;
  };
  const auto whole = scores({}), part = scores({.forbidden = {5}, .renormalize = true});
  CHECK_EQ(part[0].log_probability, whole[0].log_probability);
  CHECK_GT(part[1].log_probability, whole[1].log_probability);
  CHECK_THROWS_AS(scores({.forbidden = {1'000'000}}), Error);
}

TEST_CASE("scoring nothing gives nothing; a broken model is an error") {
  TranslatorFixture fixture;
  Context<float> context;
  CHECK(score_translations(context, *fixture.transformer, EncodedCorpus(), {}, 4096).empty());
  const EncodedCorpus pairs = encode(fixture.data, fixture.corpus, fixture.tokenizers);
  fixture.parameters.at("generator.weight").value[0] = std::nanf("");
  CHECK_THROWS_WITH_AS(score_translations(context, *fixture.transformer, pairs, {}, 4096),
                       doctest::Contains("training diverged"), Error);
}
