#include "decoding/scores/paired_bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "base/parallel.h"
#include "decoding/scores/chrf.h"
#include "decoding/scores/resampler.h"
#include "decoding/scores/ter.h"

namespace glossa {
namespace {

/// Returns the mean and the 95 % confidence interval of a system's scores over the resamples.
ResampledScore summary(double score, std::vector<double> scores) {
  const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  std::ranges::sort(scores);
  const std::size_t outside = scores.size() / 40;  // number cut off on either side
  return {score, mean, (scores[scores.size() - 1 - outside] - scores[outside]) / 2};
}

double p_value(double difference, const std::vector<double>& system, const std::vector<double>& other) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < system.size(); ++i) differences.push_back(std::abs(system[i] - other[i]));
  if (const auto [least, most] = std::ranges::minmax(differences); least == most)
    return std::numeric_limits<double>::quiet_NaN();
  const auto count = static_cast<double>(differences.size());
  const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) / count;
  const auto beyond = std::ranges::count_if(differences, [&](double d) { return d - mean > std::abs(difference); });
  return (static_cast<double>(beyond) + 1) / (count + 1);
}

/// Compares two systems by the counts of their lines; `score` computes a text's score from its counts.
template <class Counts, class Score>
PairedScore compared(const std::vector<Counts>& system, const std::vector<Counts>& other, std::size_t resamples,
                     const Score& score) {
  constexpr std::size_t block = 64;  // number of resamples drawn at once; bounds the memory
  const std::size_t lines = system.size();
  Resampler resampler(static_cast<std::uint32_t>(lines));
  std::vector<std::uint32_t> drawn(std::min(block, resamples) * lines);
  std::vector<double> system_scores(resamples), other_scores(resamples);
  for (std::size_t first = 0; first < resamples; first += block) {
    const std::size_t count = std::min(block, resamples - first);
    resampler.draw(std::span(drawn).first(count * lines));
    parallel_for(static_cast<Index>(count), [&](Index i) {
      const auto resample = static_cast<std::size_t>(i);
      Counts of_system, of_other;
      for (const std::uint32_t line : std::span(drawn).subspan(resample * lines, lines)) {
        of_system += system[line];
        of_other += other[line];
      }
      system_scores[first + resample] = score(of_system);
      other_scores[first + resample] = score(of_other);
    });
  }
  PairedScore result{summary(score(sum_of(system)), system_scores), summary(score(sum_of(other)), other_scores)};
  result.p_value = p_value(result.difference(), system_scores, other_scores);
  return result;
}

}  // namespace

PairedBootstrap paired_bootstrap(std::span<const std::string> system, std::span<const std::string> other,
                                 const References& references, const BleuOptions& options, std::int64_t resamples) {
  check(resamples > 0, "resamples", "expected a positive number; got {}", resamples);
  check(system.size() == other.size(), "paired_bootstrap", "expected as many lines of both systems; got {} and {}",
        system.size(), other.size());
  check(system.size() <= std::numeric_limits<std::uint32_t>::max(), "paired_bootstrap",
        "expected fewer than 2^32 lines; got {}", system.size());
  const auto count = static_cast<std::size_t>(resamples);
  PairedBootstrap result;
  result.resamples = resamples;
  result.bleu = compared(bleu_counts(system, references, options), bleu_counts(other, references, options), count,
                         [&](const BleuCounts& counts) { return bleu_of(counts, options).score; });
  result.chrf = compared(chrf_counts(system, references, options.lowercase),
                         chrf_counts(other, references, options.lowercase), count, chrf_of);
  result.ter = compared(ter_counts(system, references), ter_counts(other, references), count, ter_of);
  return result;
}

}  // namespace glossa
