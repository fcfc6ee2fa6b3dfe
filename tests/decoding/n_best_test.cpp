#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "tests/decoding/search_fixture.h"
#include "tests/support/restore_runtime.h"
#include "tests/support/sanitized.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// A small model, a source and options, drawn at random.
struct RandomSearch {
  explicit RandomSearch(std::uint64_t number) : random(number, "n best") {
    const int vocabulary = 4 + below(3);
    limit = vocabulary == 6 ? 1 + below(4) : 1 + below(5);
    model = std::make_unique<SmallModel<double>>(vocabulary, NormPlace::pre, 64, number);
    const double scale = 1 + 5 * random.uniform();  // few tokens are likely: later hypotheses overtake earlier ones
    for (double& weight : model->store.at("generator.weight").value.span()) weight *= scale;
    model->favor(specials.eos, 6 * random.uniform() - 3);
    if (vocabulary > 4 && below(4) == 0) options.forbidden = {specials.unk};
    options.length_penalty = std::array{LengthPenalty::none, LengthPenalty::power, LengthPenalty::gnmt}[below(3)];
    options.alpha = std::array{1.0, 0.0, 10 * random.uniform(), -5 * random.uniform()}[below(4)];
    options.max_length_factor = 0;
    options.max_length_extra = limit;
    options.min_length = below(2) * below(3);
    options.renormalize = below(2) == 1;
    for (Index ids = 1 + below(4); vocabulary > 4 && ids > 0; --ids) source.push_back(4 + below(vocabulary - 4));
    source.push_back(specials.eos);
    n = 1 + below(8);
  }

  int below(int count) { return static_cast<int>(random.below(static_cast<std::uint64_t>(count))); }

  /// Adds all hypotheses that begin with `tokens`, whose log-probability is `sum`: ended ones and those cut off.
  void visit(std::vector<int>& tokens, double sum, std::vector<Hypothesis>& all) {
    const Index length = std::ssize(tokens);
    if (length == limit) return all.push_back({tokens, penalized(sum, limit, options), sum, false});
    const Tensor<const double> rows = uncached(context, *model, source, tokens);
    const std::vector<double> next(rows.row(length), rows.row(length) + rows.cols());
    const auto is_allowed = [&](int token) {
      if (token == specials.eos) return length >= options.min_length;
      return token != specials.pad && token != specials.bos && !std::ranges::count(options.forbidden, token);
    };
    double allowed = 0;
    for (int token = 0; token < std::ssize(next); ++token) allowed += is_allowed(token) ? std::exp(next[token]) : 0;
    for (int token = 0; token < std::ssize(next); ++token) {
      if (!is_allowed(token)) continue;
      const double longer = sum + next[token] - (options.renormalize ? std::log(allowed) : 0);
      if (token == specials.eos) {
        all.push_back({tokens, penalized(longer, length + 1, options), longer, true});
        continue;
      }
      tokens.push_back(token);
      visit(tokens, longer, all);
      tokens.pop_back();
    }
  }

  /// Every hypothesis: ended ones first, each group best first.
  std::vector<Hypothesis> all() {
    std::vector<Hypothesis> found;
    std::vector<int> none;
    visit(none, 0, found);
    std::ranges::sort(found, [](const Hypothesis& a, const Hypothesis& b) {
      return a.finished != b.finished ? a.finished : a.score > b.score;
    });
    return found;
  }

  RandomStream random;
  Context<double> context;
  std::unique_ptr<SmallModel<double>> model;
  DecodeOptions options;
  std::vector<int> source;
  Index limit = 0, n = 0;
};

/// Number of searches to compare: the environment variable GLOSSA_SEARCHES, or 500 (with sanitizers 200).
int searches() {
  const char* const text = std::getenv("GLOSSA_SEARCHES");
  return text ? std::atoi(text) : testing::sanitized ? 200 : 500;
}

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-11 * std::max(1.0, std::abs(b)); }

bool is_same(const Hypothesis& a, const Hypothesis& b) {
  return a.tokens == b.tokens && a.finished == b.finished && is_near(a.score, b.score) &&
         is_near(a.log_probability, b.log_probability);
}

}  // namespace

TEST_CASE("a beam that holds every hypothesis gives the n best of all, under every length penalty") {
  const OneThread one;
  int ended = 0, cut_off = 0, short_lists = 0;
  Searcher<double> searcher;
  for (int number = 0; number < searches(); ++number) {
    RandomSearch search(static_cast<std::uint64_t>(number));
    std::vector<Hypothesis> expected = search.all();
    search.options.beam = std::max(search.n, std::ssize(expected));
    if (std::ssize(expected) > search.n) expected.resize(static_cast<std::size_t>(search.n));
    const std::vector<Hypothesis> found =
        searcher.n_best(search.model->transformer, {&search.source, 1}, specials, search.options, search.n).front();
    INFO("search ", number);
    const bool is_right = std::ranges::equal(found, expected, is_same);
    CHECK(is_right);
    for (const Hypothesis& h : found) (h.finished ? ended : cut_off) += 1;
    short_lists += std::ssize(found) < search.n;
  }
  CHECK(ended > searches());
  CHECK(cut_off > searches() / 4);
  CHECK(short_lists > searches() / 20);
}

TEST_CASE("the first of a list is the single best, although the search for the others runs on") {
  const OneThread one;
  Searcher<double> searcher;
  int longer = 0;
  for (int number = 0; number < searches(); ++number) {
    RandomSearch search(static_cast<std::uint64_t>(number));
    search.options.beam = 2 + search.below(3);
    search.options.max_length_extra = 15;
    const Sentences sources{search.source};
    const auto& model = search.model->transformer;
    const Hypothesis best = searcher.decode(model, sources, specials, search.options).front();
    const auto found = searcher.n_best(model, sources, specials, search.options, search.options.beam).front();
    INFO("search ", number);
    check_same({found.front()}, {best}, 0);
    longer += found.back().tokens.size() > best.tokens.size();
  }
  CHECK(longer > searches() / 10);
}
