#include "train/corpus_loss.h"

#include <doctest/doctest.h>

#include <cmath>

#include "autograd/ops.h"
#include "decoding/scoring.h"
#include "tests/decoding/translator_fixture.h"

using namespace glossa;
using namespace glossa::testing;
using Lines = std::vector<std::string>;

namespace {

/// The loss by its definition: the logits of one sentence after another, without a batch.
CorpusLoss loss_by_hand(const TranslatorFixture& fixture, const EncodedCorpus& encoded) {
  CorpusLoss total;
  Context<float> context;
  for (int i = 0; i < encoded.size(); ++i) {
    const std::vector<int>& source = encoded.source[i];
    std::vector<int> in{encoded.specials.bos}, out = encoded.target[i];
    in.insert(in.end(), out.begin(), out.end());
    out.push_back(encoded.specials.eos);
    const RowSpan source_span{0, std::ssize(source)}, target_span{0, std::ssize(in)};
    context.begin({.training = false, .recording = false});
    const Tensor<const float> log_p =
        log_softmax((*fixture.transformer)(context, source,
                                           {.rows = source_span.length, .sequences = {&source_span, 1}}, in,
                                           {.rows = target_span.length, .sequences = {&target_span, 1}}))
            .value();
    for (Index row = 0; row < log_p.rows(); ++row) total.nll_sum -= double{log_p.row(row)[out[row]]};
    total.tokens += std::ssize(out);
  }
  return total;
}

}  // namespace

TEST_CASE("the loss of a corpus is that of all its tokens in any batches, without dropout and smoothing") {
  TranslatorFixture fixture;
  const EncodedCorpus encoded = encode(fixture.data, fixture.corpus, fixture.tokenizers);
  const CorpusLoss expected = loss_by_hand(fixture, encoded);
  Context<float> context;
  for (const std::int64_t budget : {1, 25, 4096}) {
    CAPTURE(budget);
    fixture.data.batches.max_tokens = budget;
    const CorpusLoss loss = corpus_loss(context, *fixture.transformer, encoded, fixture.data);
    CHECK_EQ(loss.tokens, expected.tokens);
    CHECK_EQ(loss.nll_sum, doctest::Approx(expected.nll_sum).epsilon(1e-5));
    CHECK_EQ(loss.per_token(), doctest::Approx(expected.nll_sum / static_cast<double>(expected.tokens)).epsilon(1e-5));
  }
  CHECK_EQ(CorpusLoss{}.per_token(), 0);
}

TEST_CASE("each token has its own score, </s> is the last, and together they are the loss of the corpus") {
  const TranslatorFixture fixture;
  const EncodedCorpus pairs = encode(fixture.data, fixture.corpus, fixture.tokenizers);
  Context<float> context;
  const std::vector<ScoredTranslation> scored = score_translations(context, *fixture.transformer, pairs, {}, 4096);
  double sum = 0;
  REQUIRE_EQ(static_cast<int>(scored.size()), pairs.size());
  for (std::size_t i = 0; i < scored.size(); ++i) {
    std::vector<int> tokens = pairs.target[i];
    tokens.push_back(pairs.specials.eos);
    REQUIRE_EQ(scored[i].tokens.size(), tokens.size());
    double whole = 0;
    for (std::size_t k = 0; k < tokens.size(); ++k) {
      CHECK_EQ(scored[i].tokens[k].token, tokens[k]);
      whole += scored[i].tokens[k].log_probability;
    }
    CHECK_EQ(scored[i].log_probability, doctest::Approx(whole));
    CHECK_EQ(scored[i].score, doctest::Approx(whole / static_cast<double>(tokens.size())));
    sum += whole;
  }
  CHECK_EQ(-sum, doctest::Approx(corpus_loss(context, *fixture.transformer, pairs, fixture.data).nll_sum));
  // Later positions have no effect.
  EncodedCorpus longer = pairs;
  for (std::vector<int>& target : longer.target) target.push_back(target.front());
  const auto other = score_translations(context, *fixture.transformer, longer, {}, 4096);
  for (std::size_t i = 0; i < scored.size(); ++i)
    for (std::size_t k = 0; k < pairs.target[i].size(); ++k)
      CHECK_EQ(other[i].tokens[k].log_probability, doctest::Approx(scored[i].tokens[k].log_probability).epsilon(1e-5));
}

TEST_CASE("exact match is the share of lines that are equal") {
  CHECK_EQ(exact_match(Lines{"a", "b ", "c", ""}, Lines{"a", "b", "c", ""}), 0.75);
  CHECK_EQ(exact_match(Lines{}, Lines{}), 0);

  const Lines first{"a", "b"}, second{"x", "c"};
  const std::span<const std::string> both[] = {first, second};
  CHECK_EQ(exact_match(Lines{"x", "a"}, both), 0.5);
  CHECK_EQ(exact_match(Lines{"a", "c"}, both), 1);
}
