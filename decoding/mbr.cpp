#include "decoding/mbr.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "decoding/scores/bleu.h"
#include "decoding/scores/chrf.h"

namespace glossa {

namespace {

/// The distinct texts in a list, in order of their first occurrence.
struct DifferentTexts {
  std::vector<std::string> texts;
  std::vector<std::size_t> of;     // index into `texts`, for each place in the list
  std::vector<std::size_t> first;  // first place of each text

  explicit DifferentTexts(std::span<const std::string> all) {
    std::map<std::string_view, std::size_t> index;
    for (std::size_t place = 0; place < all.size(); ++place) {
      const auto [known, is_new] = index.try_emplace(all[place], texts.size());
      of.push_back(known->second);
      if (!is_new) continue;
      first.push_back(place);
      texts.push_back(all[place]);
    }
  }
};

/// Returns each distinct text's mean score against all texts, where reference j counts `times[j]` times. `samples` is
/// the sum of `times`.
template <class Score>
std::vector<double> mean_scores(const Score& score, std::span<const double> times, std::size_t samples) {
  std::vector<double> means;
  for (std::size_t i = 0; i < times.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < times.size(); ++j)
      if (times[j] > 0) sum += times[j] * score(i, j);
    means.push_back(sum / static_cast<double>(samples));
  }
  return means;
}

}  // namespace

std::vector<double> mean_utilities(std::span<const std::string> texts, std::size_t samples, MbrUtility utility) {
  check(samples >= 1 && samples <= texts.size(), "mbr", "expected 1 to {} samples; got {}", texts.size(), samples);
  const DifferentTexts different(texts);
  std::vector<double> times(different.texts.size());
  for (std::size_t place = 0; place < samples; ++place) times[different.of[place]] += 1;
  const std::vector<double> means = utility == MbrUtility::chrf
                                        ? mean_scores(SentenceChrf(different.texts), times, samples)
                                        : mean_scores(SentenceBleu(different.texts), times, samples);
  std::vector<double> utilities;
  for (const std::size_t text : different.of) utilities.push_back(means[text]);
  return utilities;
}

std::vector<Hypothesis> mbr_best(std::vector<Hypothesis> candidates, Index samples, const Tokenizer& target,
                                 MbrUtility utility, Index n) {
  std::vector<std::string> texts;
  for (const Hypothesis& candidate : candidates) texts.push_back(target.decode(candidate.tokens));
  const std::vector<double> utilities = mean_utilities(texts, static_cast<std::size_t>(samples), utility);
  std::vector<std::size_t> order = DifferentTexts(texts).first;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return utilities[a] > utilities[b]; });
  if (std::ssize(order) > n) order.resize(static_cast<std::size_t>(n));
  std::vector<Hypothesis> best;
  for (const std::size_t place : order) {
    best.push_back(std::move(candidates[place]));
    best.back().score = utilities[place];
  }
  return best;
}

Index mbr_candidates(const DecodeOptions& options) { return options.mbr + (options.beam > 1 ? 1 : 0); }

}  // namespace glossa
