// Features of the search for comparison with transformers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/decoding/search_fixture.h"
#include "tests/support/restore_runtime.h"
#include "tests/support/sanitized.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// The vectorized search of transformers, line by line (generation/utils.py, `_beam_search`, with `early_stopping`
/// false and a forced </s>); for a beam of 1 its greedy search.
std::vector<Hypothesis> generate_without_cache(const SmallModel<double>& model, const std::vector<int>& source,
                                               Index limit, const DecodeOptions& options) {
  constexpr double never = -1e9;
  Context<double> context;
  const auto better = [](const auto& a, const auto& b) { return a.score > b.score; };
  std::vector<Hypothesis> running(1), finished;  // score of a running one: its log-probability
  for (Index length = 1;; ++length) {
    std::vector<Hypothesis> all;
    for (const Hypothesis& h : running) {
      const Tensor<const double> next = uncached(context, model, source, h.tokens);
      const double* row = next.row(length - 1);
      const auto is_never = [&](int token) {
        return token == specials.pad || token == specials.bos || std::ranges::count(options.forbidden, token) > 0 ||
               (token == specials.eos && length <= options.min_length);
      };
      double sum = 0;
      for (int token = 0; token < next.cols(); ++token) sum += is_never(token) ? 0 : std::exp(row[token]);
      for (int token = 0; token < next.cols(); ++token) {
        if (length == limit ? token != specials.eos : is_never(token)) continue;
        Hypothesis& longer = all.emplace_back(h);
        if (length < limit) longer.log_probability += row[token] - (options.renormalize ? std::log(sum) : 0);
        longer.score = longer.log_probability;
        longer.finished = token == specials.eos;
        if (!longer.finished) longer.tokens.push_back(token);
      }
    }
    std::stable_sort(all.begin(), all.end(), better);
    all.resize(std::min<std::size_t>(all.size(), options.beam == 1 ? 1 : 2 * options.beam));
    running.clear();
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      Hypothesis& h = all[rank];
      if (h.finished && static_cast<Index>(rank) < options.beam) {
        h.score = h.log_probability / std::pow(length, options.alpha);
        h.finished = length < limit;
        finished.push_back(h);
      } else if (!h.finished && std::ssize(running) < options.beam) {
        running.push_back(h);
      }
    }
    std::stable_sort(finished.begin(), finished.end(), better);
    finished.resize(std::min<std::size_t>(finished.size(), options.beam));
    if (running.empty()) return finished;
    const double worst = std::ssize(finished) == options.beam ? finished.back().score : never;
    if (!(running.front().log_probability / std::pow(length, options.alpha) > worst)) return finished;
  }
}

}  // namespace

TEST_CASE("the search of transformers ends where `generate` does") {
  const OneThread one;
  const int sentences = testing::sanitized ? 5 : 15;
  int different = 0, forced = 0;
  for (const std::uint64_t trained : {0, 1, 2}) {
    SmallModel<double> model(14, trained == 1 ? NormPlace::post : NormPlace::pre);
    model.favor(specials.eos, 0.8 * static_cast<double>(trained));
    const Sentences sources = random_sources(sentences, 14, 8);
    for (const double alpha : {0.0, 0.6, 1.0, 2.0})
      for (const Index beam : {1, 2, 4})
        for (const bool renormalize : {false, true}) {
          DecodeOptions options{.beam = beam,
                                .alpha = alpha,
                                .max_length_factor = 0,
                                .max_length_extra = 9,
                                .min_length = trained == 2 ? 3 : 0,
                                .search = Search::huggingface,
                                .forbidden = {specials.unk, 7},
                                .renormalize = renormalize};
          const auto n_best = Searcher<double>().n_best(model.transformer, sources, specials, options, beam);
          const std::vector<Hypothesis> found =
              Searcher<double>().decode(model.transformer, sources, specials, options);
          for (std::size_t i = 0; i < sources.size(); ++i) {
            check_same(n_best[i], generate_without_cache(model, sources[i], 9, options), 1e-11);
            check_same({found[i]}, {n_best[i][0]}, 1e-12);
            forced += !found[i].finished;
          }
          options.search = Search::glossa;
          const std::vector<Hypothesis> glossa =
              Searcher<double>().decode(model.transformer, sources, specials, options);
          for (std::size_t i = 0; i < sources.size(); ++i) different += glossa[i].tokens != found[i].tokens;
        }
  }
  CHECK(different > 2 * sentences);
  CHECK(forced > 2 * sentences);
}

TEST_CASE("a minimum length rules out </s>, even if it equals the maximum") {
  SmallModel<double> model(12);
  model.favor(specials.eos, 9);
  const Sentences sources = random_sources(10, 12, 6);
  for (const Search search : {Search::glossa, Search::huggingface})
    for (const Index beam : {1, 3}) {
      DecodeOptions options{
          .beam = beam, .max_length_factor = 0, .max_length_extra = 7, .min_length = 4, .search = search};
      for (const Hypothesis& h : Searcher<double>().decode(model.transformer, sources, specials, options)) {
        CHECK(h.tokens.size() == 4);
        CHECK(h.finished);
      }
      options.min_length = 7;
      const std::size_t longest = search == Search::glossa ? 7 : 6;  // the seventh is a forced </s>
      for (const Hypothesis& h : Searcher<double>().decode(model.transformer, sources, specials, options)) {
        CHECK(h.tokens.size() == longest);
        CHECK_FALSE(h.finished);
      }
    }
}

TEST_CASE("forbidden tokens never come, and padding may start a translation") {
  SmallModel<double> model(12);
  model.favor(5, 30);
  const Sentences sources = random_sources(10, 12, 6);
  const SpecialIds starts_with_padding{.unk = 1, .pad = 11, .bos = 11, .eos = 0};
  for (const SpecialIds& ids : {specials, starts_with_padding})
    for (const Index beam : {1, 3})
      for (const bool forbidden : {false, true}) {
        DecodeOptions options{.beam = beam};
        if (forbidden) options.forbidden = {5, ids.unk, 5};
        bool seen = false;
        for (const Hypothesis& h : Searcher<double>().decode(model.transformer, sources, ids, options))
          for (const int token : h.tokens) {
            CHECK((token == ids.unk || !ids.contains(token)));
            CHECK_FALSE((forbidden && token == ids.unk));
            seen = seen || token == 5;
          }
        CHECK(seen != forbidden);
      }
  for (const int wrong : {-1, 12})
    CHECK_THROWS_WITH_AS(Searcher<double>().decode(model.transformer, sources, specials, {.forbidden = {wrong}}),
                         doctest::Contains("[decode.forbidden] expected tokens from 0 to 11; got"), Error);
  DecodeOptions all;
  for (int token = 0; token < 12; ++token) all.forbidden.push_back(token);
  CHECK_THROWS_WITH_AS(Searcher<double>().decode(model.transformer, sources, specials, all),
                       doctest::Contains("[decode.forbidden] expected some of 12 tokens to be allowed"), Error);
}
