#include "decoding/decoding.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "autograd/quantized.h"
#include "base/heap.h"
#include "base/parallel.h"
#include "tests/decoding/search_fixture.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

Hypothesis greedy_without_cache(const SmallModel<double>& model, const std::vector<int>& source, Index limit) {
  Context<double> context;
  Hypothesis h;
  for (Index t = 0; t < limit; ++t) {
    const Tensor<const double> all = uncached(context, model, source, h.tokens);
    const double* row = all.row(t);
    int best = specials.unk;
    for (int token = 0; token < all.cols(); ++token)
      if (token != specials.pad && token != specials.bos && row[token] > row[best]) best = token;
    h.log_probability += row[best];
    h.finished = best == specials.eos;
    if (h.finished) break;
    h.tokens.push_back(best);
  }
  return h;
}

/// The n-best search as documented in Searcher, on whole sequences.
std::vector<Hypothesis> n_best_without_cache(const SmallModel<double>& model, const std::vector<int>& source,
                                             Index limit, const DecodeOptions& options, Index n) {
  Context<double> context;
  std::vector<Hypothesis> live(1), all, ended;
  bool first_is_final = false;
  const auto best = [&] {
    std::stable_sort(ended.begin(), ended.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    return std::vector<Hypothesis>(ended.begin(), ended.begin() + std::min(n, std::ssize(ended)));
  };
  for (Index length = 1;; ++length) {
    all.clear();
    for (const Hypothesis& h : live) {
      const Tensor<const double> next = uncached(context, model, source, h.tokens);
      for (int token = 0; token < next.cols(); ++token) {
        if (token == specials.pad || token == specials.bos) continue;
        Hypothesis& longer = all.emplace_back(h);
        longer.log_probability += next.row(length - 1)[token];
        longer.score = penalized(longer.log_probability, length, options);
        longer.finished = token == specials.eos;
        if (!longer.finished) longer.tokens.push_back(token);
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.score > b.score; });
    all.resize(std::min<std::size_t>(all.size(), options.beam == 1 ? 1 : 2 * options.beam));
    live.clear();
    for (const Hypothesis& h : all) {
      if (h.finished)
        ended.push_back(h);
      else if (std::ssize(live) < options.beam)
        live.push_back(h);
    }
    std::vector<Hypothesis> found = best();
    if (live.empty()) return found;
    if (length == limit) {
      for (const Hypothesis& h : live)
        if (std::ssize(found) < n) found.push_back(h);
      return found;
    }
    if (std::ssize(found) < n) continue;
    const auto stays = [&](const Hypothesis& h, Index later) {
      return h.score >= penalized(live.front().log_probability, later, options);
    };
    if (std::ssize(ended) < options.beam) {
      if (stays(found.back(), limit)) return found;
      continue;
    }
    first_is_final = first_is_final || stays(found.front(), length + 1);
    if (first_is_final && (!stays(found.front(), length + 1) || stays(found.back(), length + 1))) return found;
  }
}

Hypothesis beam_without_cache(const SmallModel<double>& model, const std::vector<int>& source, Index limit,
                              const DecodeOptions& options) {
  return n_best_without_cache(model, source, limit, options, 1).front();
}

/// Every sequence that ends within `limit` tokens, </s> included: the best possible score.
Hypothesis best_of_all(const SmallModel<double>& model, const std::vector<int>& source, Index limit,
                       const DecodeOptions& options) {
  Hypothesis best{.tokens = {}, .score = -1e300};
  const std::function<void(const std::vector<int>&, double)> visit = [&](const std::vector<int>& tokens, double sum) {
    Context<double> context;
    const Tensor<const double> all = uncached(context, model, source, tokens);
    const double* row = all.row(std::ssize(tokens));
    const double ended = sum + row[specials.eos], score = penalized(ended, std::ssize(tokens) + 1, options);
    if (score > best.score) best = {tokens, score, ended, true};
    if (std::ssize(tokens) + 1 == limit) return;
    for (int token = 0; token < all.cols(); ++token) {
      if (token == specials.pad || token == specials.bos || token == specials.eos) continue;
      std::vector<int> longer = tokens;
      longer.push_back(token);
      visit(longer, sum + row[token]);
    }
  };
  visit({}, 0);
  return best;
}

constexpr LengthPenalty penalties[] = {LengthPenalty::none, LengthPenalty::power, LengthPenalty::gnmt};

}  // namespace

TEST_CASE("length penalties are the published formulas") {
  CHECK(penalized(-6, 3, {.length_penalty = LengthPenalty::none, .alpha = 1}) == -6);
  CHECK(penalized(-6, 3, {.length_penalty = LengthPenalty::power, .alpha = 1}) == doctest::Approx(-2));
  CHECK(penalized(-6, 4, {.length_penalty = LengthPenalty::power, .alpha = 0.5}) == doctest::Approx(-3));
  CHECK(penalized(-6, 7, {.length_penalty = LengthPenalty::gnmt, .alpha = 1}) == doctest::Approx(-3));
  CHECK(penalized(-6, 19, {.length_penalty = LengthPenalty::gnmt, .alpha = 0.5}) == doctest::Approx(-3));
}

TEST_CASE("steps with a cache give the logits of the whole sequence") {
  const Sentences sources = random_sources(3, 12, 6), targets{{2, 4, 5, 6, 7}, {2, 9, 9, 0, 4}, {2, 11, 10, 8, 5}};
  for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
    const SmallModel<double> model(12, norm);
    std::vector<int> ids;
    std::vector<RowSpan> spans;
    for (const std::vector<int>& source : sources) {
      spans.push_back({std::ssize(ids), std::ssize(source)});
      ids.insert(ids.end(), source.begin(), source.end());
    }
    Context<double> context, whole;
    context.begin(evaluation);
    DecoderCache<double> cache;
    const RowLayout layout{.rows = std::ssize(ids), .sequences = spans};
    model.transformer.start(cache, model.transformer.encode(context, ids, layout), layout, 6, 5);
    // Rows 0, 1 of the first sentence and so on; then orders that repeat, move up, move down and end rows, and finally
    // one with more rows than before.
    std::vector<Index> target_of{0, 1, 1, 2, 0, 2}, source_of{0, 0, 1, 1, 2, 2};
    for (Index t = 0; t < 5; ++t) {
      std::vector<int> tokens;
      for (const Index r : target_of) tokens.push_back(targets[r][t]);
      context.begin(evaluation);
      const Tensor<const double> logits = log_softmax(model.transformer.step(context, tokens, cache)).value();
      for (std::size_t r = 0; r < target_of.size(); ++r) {
        const std::vector<int> past(targets[target_of[r]].begin() + 1, targets[target_of[r]].begin() + t + 1);
        const Tensor<const double> expected = uncached(whole, model, sources[source_of[r]], past);
        for (Index j = 0; j < 12; ++j) CHECK(std::abs(logits.row(r)[j] - expected.row(t)[j]) <= 1e-12);
      }
      const std::vector<std::vector<Index>> orders{
          {0, 2, 2, 1, 4, 5}, {5, 1, 2, 3, 1}, {1, 0, 3, 4}, {0, 0, 3, 1, 2, 2, 0}, {0}};
      std::vector<Index> next_target, next_source;
      for (const Index r : orders[t]) next_target.push_back(target_of[r]), next_source.push_back(source_of[r]);
      cache.select(orders[t]);
      target_of = next_target;
      source_of = next_source;
    }
  }
}

TEST_CASE("greedy search with a cache is the argmax of the whole model, token for token") {
  const Sentences sources = random_sources(25, 12, 9);
  for (const NormPlace norm : {NormPlace::pre, NormPlace::post}) {
    SmallModel<double> model(12, norm);
    model.favor(specials.eos, norm == NormPlace::pre ? 2 : 1);
    const DecodeOptions options{.length_penalty = LengthPenalty::none, .max_length_factor = 1, .max_length_extra = 3};
    const std::vector<Hypothesis> found = Searcher<double>().decode(model.transformer, sources, specials, options);
    int finished = 0;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Hypothesis expected = greedy_without_cache(model, sources[i], std::ssize(sources[i]) + 3);
      CHECK(found[i].tokens == expected.tokens);
      CHECK(found[i].finished == expected.finished);
      CHECK(std::abs(found[i].log_probability - expected.log_probability) <= 1e-11);
      CHECK(found[i].score == found[i].log_probability);
      finished += found[i].finished;
    }
    CHECK(finished > 0);
    CHECK(finished < std::ssize(sources));  // both kinds of end are covered
  }
}

TEST_CASE("a beam wide enough finds the best of all sequences") {
  const Sentences sources = random_sources(6, 6, 4);
  for (const double eos : {-2.0, 0.0, 2.0})
    for (const LengthPenalty penalty : penalties) {
      SmallModel<double> model(6);
      model.favor(specials.eos, eos);
      const DecodeOptions options{
          .beam = 27, .length_penalty = penalty, .alpha = 0.8, .max_length_factor = 0, .max_length_extra = 4};
      const std::vector<Hypothesis> found = Searcher<double>().decode(model.transformer, sources, specials, options);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const Hypothesis best = best_of_all(model, sources[i], 4, options);
        CHECK(found[i].tokens == best.tokens);
        CHECK(found[i].finished);
        CHECK(found[i].score == doctest::Approx(best.score).epsilon(1e-12));
      }
    }
}

TEST_CASE("a narrow beam finds what the same search finds without cache and batches") {
  SmallModel<double> model(12);
  const Sentences sources = random_sources(15, 12, 8);
  int finished = 0, other_than_greedy = 0, count = 0;
  std::vector<Hypothesis> greedy;
  for (const LengthPenalty penalty : penalties) {
    model.favor(specials.eos, 1);  // more in each round
    for (const Index beam : {1, 2, 3, 5}) {
      const DecodeOptions options{
          .beam = beam, .length_penalty = penalty, .max_length_factor = 1, .max_length_extra = 2, .max_tokens = 150};
      const std::vector<Hypothesis> found = Searcher<double>().decode(model.transformer, sources, specials, options);
      if (beam == 1) greedy = found;
      std::vector<Hypothesis> expected;
      for (const std::vector<int>& source : sources)
        expected.push_back(beam_without_cache(model, source, std::ssize(source) + 2, options));
      check_same(found, expected, 1e-11);
      for (std::size_t i = 0; i < sources.size(); ++i, ++count) {
        finished += found[i].finished;
        other_than_greedy += found[i].tokens != greedy[i].tokens;
      }
    }
  }
  CHECK(finished > count / 10);
  CHECK(finished < count);
  CHECK(other_than_greedy > count / 10);
}

TEST_CASE("the n best come from the same search, led by the single best") {
  SmallModel<double> model(12);
  const Sentences sources = random_sources(12, 12, 8);
  int cut_off = 0, ended = 0;
  for (const LengthPenalty penalty : penalties) {
    model.favor(specials.eos, 1);
    const DecodeOptions options{
        .beam = 5, .length_penalty = penalty, .max_length_factor = 1, .max_length_extra = 2, .max_tokens = 150};
    Searcher<double> searcher;
    const std::vector<Hypothesis> alone = searcher.decode(model.transformer, sources, specials, options);
    for (const Index n : {1, 3, 5}) {
      const auto found = searcher.n_best(model.transformer, sources, specials, options, n);
      REQUIRE(found.size() == sources.size());
      for (std::size_t i = 0; i < sources.size(); ++i) {
        check_same(found[i], n_best_without_cache(model, sources[i], std::ssize(sources[i]) + 2, options, n), 1e-11);
        REQUIRE(std::ssize(found[i]) == n);
        check_same({found[i][0]}, {alone[i]}, 0);
        for (Index k = 0; k < n; ++k) {
          (found[i][k].finished ? ended : cut_off) += 1;
          if (k == 0) continue;
          CHECK(found[i][k].tokens != found[i][k - 1].tokens);
          CHECK((found[i][k - 1].finished || !found[i][k].finished));
          if (found[i][k].finished == found[i][k - 1].finished) CHECK(found[i][k].score <= found[i][k - 1].score);
        }
      }
    }
  }
  CHECK(ended > 50);
  CHECK(cut_off > 10);
  const DecodeOptions options{.beam = 2};
  CHECK_THROWS_AS(Searcher<double>().n_best(model.transformer, sources, specials, options, 3), Error);
  CHECK_THROWS_AS(Searcher<double>().n_best(model.transformer, sources, specials, options, 0), Error);
}

TEST_CASE("equal candidates rank by earlier hypothesis, then smaller id, and equal ends by first come") {
  for (const double eos : {-1.0, 0.0, 0.5}) {
    SmallModel<double> model(9);
    std::ranges::fill(model.store.at("generator.weight").value.span(), 0.0);
    std::ranges::fill(model.store.at("generator.bias").value.span(), 0.0);  // all tokens are equal
    model.favor(specials.eos, eos);
    const Sentences sources = random_sources(3, 9, 5);
    // Under length^2 longer is better: several end at the limit. Under the other penalty the next end is worse than
    // that of the first token, and one after 50 tokens better: the search does not wait for it.
    for (const auto& [penalty, limit] : {std::pair(LengthPenalty::power, 6), std::pair(LengthPenalty::gnmt, 60)})
      for (const Index beam : {1, 2, 3, 5}) {
        const DecodeOptions options{
            .beam = beam, .length_penalty = penalty, .alpha = 2, .max_length_factor = 0, .max_length_extra = limit};
        std::vector<Hypothesis> expected;
        for (const std::vector<int>& source : sources)
          expected.push_back(beam_without_cache(model, source, limit, options));
        check_same(Searcher<double>().decode(model.transformer, sources, specials, options), expected, 1e-11);
      }
  }
}

TEST_CASE("a sentence is translated the same alone and in any batch") {
  SmallModel<double> model(12);
  model.favor(specials.eos, 1.5);
  const Sentences sources = random_sources(40, 12, 15);
  for (const Index beam : {1, 4}) {
    DecodeOptions options{.beam = beam, .max_tokens = 100000};
    Searcher<double> searcher;
    const std::vector<Hypothesis> together = searcher.decode(model.transformer, sources, specials, options);
    options.max_tokens = 97;
    check_same(searcher.decode(model.transformer, sources, specials, options), together, 1e-12);
    std::vector<Hypothesis> alone;
    for (const std::vector<int>& source : sources)
      alone.push_back(Searcher<double>().decode(model.transformer, {&source, 1}, specials, options).front());
    check_same(alone, together, 1e-12);
  }
}

TEST_CASE("special tokens are never written, and length limits hold") {
  SmallModel<double> model(12, NormPlace::pre, 9);
  for (const int token : {specials.pad, specials.bos}) model.favor(token, 50);
  model.favor(specials.eos, -50);
  const Sentences sources = random_sources(12, 12, 8);
  for (const Index beam : {1, 3})
    for (const double factor : {0.0, 0.5, 100.0}) {
      const DecodeOptions options{.beam = beam, .max_length_factor = factor, .max_length_extra = 1};
      const std::vector<Hypothesis> found = Searcher<double>().decode(model.transformer, sources, specials, options);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const double limit = std::min(9.0, std::floor(factor * static_cast<double>(sources[i].size())) + 1);
        CHECK_FALSE(found[i].finished);
        CHECK(static_cast<double>(found[i].tokens.size()) == limit);
        for (const int token : found[i].tokens) CHECK((token == specials.unk || !specials.contains(token)));
      }
    }
}

TEST_CASE("decoding gives the same bits for any number of threads") {
  SmallModel<float> model(50);
  model.favor(specials.eos, 1);
  const Sentences sources = random_sources(30, 50, 12);
  const int before = threads();
  for (const Index beam : {1, 4}) {
    std::vector<Hypothesis> first;
    for (const int count : {1, 2, 4}) {
      set_threads(count);
      const std::vector<Hypothesis> found =
          Searcher<float>().decode(model.transformer, sources, specials, {.beam = beam, .max_tokens = 500});
      if (first.empty()) first = found;
      check_same(found, first, 0);
    }
  }
  set_threads(before);
}

TEST_CASE("in int8, no bit of a translation depends on threads, batches or neighbors") {
  SmallModel<float> model(600);  // several tiles of logits
  model.favor(specials.eos, 1);
  const QuantizedMatrices quantized(model.store);
  const Sentences sources = random_sources(40, 600, 12);
  const int before = threads();
  for (const Index beam : {1, 4}) {
    const auto options = [&](Index max_tokens) {
      return DecodeOptions{.beam = beam, .max_tokens = max_tokens, .precision = Precision::int8};
    };
    set_threads(1);
    std::vector<Hypothesis> alone;
    for (const std::vector<int>& source : sources)
      alone.push_back(Searcher<float>().decode(model.transformer, {&source, 1}, specials, options(1)).front());
    for (const int count : {1, 2, 4})
      for (const Index max_tokens : {37, 500, 100000}) {
        set_threads(count);
        check_same(Searcher<float>().decode(model.transformer, sources, specials, options(max_tokens)), alone, 0);
      }
  }
  set_threads(before);
}

TEST_CASE("a search in int8 needs a model in int8, and a model in int8 searches in int8 only") {
  const SmallModel<float> in_float(12);
  SmallModel<float> in_int8(12);
  const QuantizedMatrices quantized(in_int8.store);
  const Sentences sources{{5, 6, specials.eos}};
  const auto refused = [&](const SmallModel<float>& model, Precision precision) {
    CHECK_THROWS_AS(
        Searcher<float>().decode(model.transformer, sources, specials, DecodeOptions{.precision = precision}), Error);
  };
  refused(in_float, Precision::int8);
  refused(in_int8, Precision::full);
  refused(in_int8, Precision::bf16);
}

TEST_CASE("a search reports the sentences of each finished batch, with any number of threads") {
  const SmallModel<float> model(40);
  const Sentences sources = random_sources(60, 40, 12);
  const int before = threads();
  for (const int count : {1, 4}) {
    CAPTURE(count);
    set_threads(count);
    std::vector<Index> done;
    Searcher<float> searcher;
    searcher.watch([&](Index sentences) { done.push_back(sentences); });
    searcher.decode(model.transformer, sources, specials, {.beam = 1, .max_tokens = 36});
    CHECK_GT(done.size(), 10);  // batches
    CHECK_EQ(std::accumulate(done.begin(), done.end(), Index{0}), 60);
  }
  set_threads(before);
}

TEST_CASE("a divided search finds what one searcher finds, and each searcher searches its own batches") {
  const SmallModel<double> model(12);
  const Sentences sources = random_sources(30, 12, 12);
  const DecodeOptions options{.beam = 2, .max_tokens = 60};
  const auto whole = Searcher<double>().n_best(model.transformer, sources, specials, options, 2);
  std::vector<std::vector<Hypothesis>> all(sources.size());
  for (const int index : {0, 1, 2}) {
    Searcher<double> searcher;
    int searched = 0;
    searcher.divide({.index = index, .count = 3, .complete = [&](std::vector<std::vector<Hypothesis>>& found) {
                       for (std::size_t i = 0; i < found.size(); ++i) {
                         if (found[i].empty()) continue;
                         ++searched;
                         CHECK(all[i].empty());
                         all[i] = found[i];
                       }
                       found = all;
                     }});
    const auto found = searcher.n_best(model.transformer, sources, specials, options, 2);
    CHECK_GT(searched, 4);
    CHECK_LT(searched, 20);
    for (std::size_t i = 0; i < all.size(); ++i) check_same(found[i], all[i], 0);
  }
  for (std::size_t i = 0; i < all.size(); ++i) check_same(all[i], whole[i], 0);
}

TEST_CASE("no token costs a heap allocation once buffers are warm") {
  SmallModel<float> model(12);
  model.favor(specials.eos, -50);  // every hypothesis runs to its limit
  const Sentences sources(4, {4, 5, 6, 3});
  for (DecodeOptions options :
       {DecodeOptions{.beam = 1}, {.beam = 4}, {.sample = true}, {.sample = true, .top_k = 3, .top_p = 0.9}}) {
    Searcher<float> searcher;
    options.max_length_factor = 0;
    options.max_length_extra = 60;
    const auto count = [&] {
      const std::size_t before = heap_allocations();
      const std::vector<Hypothesis> found = searcher.decode(model.transformer, sources, specials, options);
      CHECK(std::ssize(found.front().tokens) == options.max_length_extra);
      return heap_allocations() - before;
    };
    count();
    const std::size_t of_60 = count();
    options.max_length_extra = 30;
    // The result's token lists grow by doubling: once more each for 60 than for 30.
    CHECK(of_60 <= count() + sources.size());
    CHECK(of_60 < 60);
  }
}

TEST_CASE("a refused search leaves nothing behind") {
  SmallModel<double> model(12), broken(12);
  broken.favor(5, std::nan(""));
  const Sentences sources = random_sources(5, 12, 6);
  for (const Index beam : {1, 3}) {
    Searcher<double> searcher;
    CHECK_THROWS_AS(searcher.decode(broken.transformer, sources, specials, {.beam = beam}), Error);
    check_same(searcher.decode(model.transformer, sources, specials, {.beam = beam}),
               Searcher<double>().decode(model.transformer, sources, specials, {.beam = beam}), 0);
  }
}

TEST_CASE("decoding refuses what it cannot translate") {
  SmallModel<double> model(12);
  const Sentences empty{{4, 3}, {}}, good{{4, 3}};
  Searcher<double> searcher;
  CHECK(searcher.decode(model.transformer, {}, specials, {}).empty());
  CHECK_THROWS_WITH_AS(searcher.decode(model.transformer, empty, specials, {}),
                       "[decode] expected at least one token in source 1; got none", Error);
  CHECK_THROWS_AS(searcher.decode(model.transformer, good, specials, {.beam = 0}), Error);
  for (const double factor : {std::nan(""), HUGE_VAL, -1.0})
    CHECK_THROWS_WITH_AS(searcher.decode(model.transformer, good, specials, {.max_length_factor = factor}),
                         doctest::Contains("[decode.max_length_factor] expected a finite number of at least 0"), Error);
  for (const double alpha : {std::nan(""), HUGE_VAL})
    CHECK_THROWS_WITH_AS(searcher.decode(model.transformer, good, specials, {.alpha = alpha}),
                         doctest::Contains("[decode.alpha] expected a finite number"), Error);
  model.favor(5, std::nan(""));
  CHECK_THROWS_WITH_AS(searcher.decode(model.transformer, good, specials, {}), doctest::Contains("training diverged"),
                       Error);
}
