#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "decoding/decoding.h"
#include "layers/cases/small_transformer.h"

namespace glossa::testing {

using Sentences = std::vector<std::vector<int>>;

inline constexpr SpecialIds specials;
inline constexpr StepOptions evaluation{.training = false, .recording = false};

/// A small model with random weights, scaled up so that scores are distinct.
template <class T>
struct SmallModel {
  explicit SmallModel(Index vocabulary, NormPlace norm = NormPlace::pre, Index max_positions = 64,
                      std::uint64_t seed = 7)
      : transformer(store,
                    small_transformer(vocabulary, 0.1, {.width = 16, .heads = 2, .feed_forward = 32, .norm = norm},
                                      max_positions)) {
    store.allocate(seed);
    for (const Parameter<T>* p : store.parameters())
      if (p->name.find("norm") == std::string::npos)
        for (T& value : p->value.span()) value *= T{2};
  }

  /// Makes a token more or less likely at every position.
  void favor(int token, double by) { store.at("generator.bias").value[token] += static_cast<T>(by); }

  ParameterStore<T> store;
  Transformer<T> transformer;
};

inline Sentences random_sources(Index count, int vocabulary, std::uint64_t longest) {
  RandomStream random(3, "sources");
  Sentences sources;
  for (Index i = 0; i < count; ++i) {
    std::vector<int>& source = sources.emplace_back();
    for (std::uint64_t n = 1 + random.below(longest); n > 0; --n)
      source.push_back(4 + static_cast<int>(random.below(static_cast<std::uint64_t>(vocabulary - 4))));
    source.push_back(specials.eos);
  }
  return sources;
}

/// Log-probabilities after each prefix of <s> followed by `tokens`, computed by one pass through the model, without a
/// cache.
inline Tensor<const double> uncached(Context<double>& context, const SmallModel<double>& model,
                                     const std::vector<int>& source, const std::vector<int>& tokens) {
  std::vector<int> target{specials.bos};
  target.insert(target.end(), tokens.begin(), tokens.end());
  const RowSpan source_span{0, std::ssize(source)}, target_span{0, std::ssize(target)};
  context.begin(evaluation);
  return log_softmax(model.transformer(context, source, {.rows = source_span.length, .sequences = {&source_span, 1}},
                                       target, {.rows = target_span.length, .sequences = {&target_span, 1}}))
      .value();
}

inline void check_same(const std::vector<Hypothesis>& a, const std::vector<Hypothesis>& b, double tolerance) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].tokens == b[i].tokens);
    CHECK(a[i].finished == b[i].finished);
    CHECK(std::abs(a[i].score - b[i].score) <= tolerance);
    CHECK(std::abs(a[i].log_probability - b[i].log_probability) <= tolerance);
  }
}

}  // namespace glossa::testing
