#include "data/exchanged_sides.h"

#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "base/random.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

constexpr std::size_t buckets = 1 << 14;

/// Calls `act` with the hash bucket of each trigram of letters. All other characters are treated as spaces.
template <class Act>
void for_each_trigram(std::string_view text, Act act) {
  std::array<std::uint64_t, 3> last{0, 0, ' '};
  const auto add = [&](char32_t c) {
    if (c == ' ' && last[2] == ' ') return;
    last = {last[1], last[2], c};
    if (last[0] != 0) act(mix64(last[0] << 42 | last[1] << 21 | last[2]) % buckets);
  };
  utf8::for_each(utf8::lower_case(text), [&](std::string_view, const utf8::CodePoint& c) {
    const bool is_letter = !utf8::is_space(c.value) && !utf8::is_punctuation(c.value) && !utf8::is_number(c.value);
    add(is_letter ? c.value : U' ');
  });
  add(' ');
}

/// Trigram counts in every second text. The other texts test the rating.
std::vector<double> trigrams_of(std::span<const std::string_view> texts) {
  std::vector<double> counts(buckets);
  for (std::size_t i = 0; i < texts.size(); i += 2)
    for_each_trigram(texts[i], [&](std::size_t bucket) { ++counts[bucket]; });
  return counts;
}

/// Rates texts by log ratios of trigram frequencies: the frequency among sources divided by that among targets.
class SideRating {
 public:
  explicit SideRating(const PairSample& corpus) {
    const std::vector<double> source = trigrams_of(corpus.source), target = trigrams_of(corpus.target);
    const double of_source = std::accumulate(source.begin(), source.end(), 1.0),
                 of_target = std::accumulate(target.begin(), target.end(), 1.0), floor = 1 / (of_source + of_target);
    for (std::size_t i = 0; i < buckets; ++i)
      log_ratios_[i] = std::log((source[i] / of_source + floor) / (target[i] / of_target + floor));
  }

  /// Mean over the text's trigrams: positive for text that looks like a source, negative for text like a target.
  double operator()(std::string_view text) const {
    double sum = 0, count = 1;
    for_each_trigram(text, [&](std::size_t bucket) {
      sum += log_ratios_[bucket];
      ++count;
    });
    return sum / count;
  }

  /// Fraction of the pairs `first`, `first` + `step`, ... that fit unchanged (`sign` 1) or swapped (`sign` -1).
  double share(const PairSample& pairs, double sign, std::size_t first, std::size_t step) const {
    double found = 0, all = 0;
    for (std::size_t i = first; i < pairs.source.size(); i += step, ++all)
      found += sign * ((*this)(pairs.source[i]) - (*this)(pairs.target[i])) > 0;
    return found / all;
  }

 private:
  std::vector<double> log_ratios_ = std::vector<double>(buckets);
};

}  // namespace

PairSample sample_pairs(const ParallelCorpus& corpus, std::optional<std::uint32_t> part) {
  constexpr std::size_t most = 2000;
  const auto belongs = [&](std::size_t i) { return !part || corpus.part[i] == *part; };
  std::size_t count = 0;
  for (std::size_t i = 0; i < corpus.source.size(); ++i) count += belongs(i);
  const std::size_t step = (count + most - 1) / most;
  PairSample sample;
  for (std::size_t i = 0, k = 0; i < corpus.source.size(); ++i)
    if (belongs(i) && k++ % step == 0) {
      sample.source.emplace_back(corpus.source[i]);
      sample.target.emplace_back(corpus.target[i]);
    }
  return sample;
}

bool sides_exchanged(const PairSample& corpus, const PairSample& other) {
  constexpr std::size_t fewest = 30;
  constexpr double reliable = 0.9, most = 0.8;
  if (corpus.source.size() < fewest || other.source.size() < fewest) return false;
  const SideRating rating(corpus);
  return rating.share(corpus, 1, 1, 2) >= reliable && rating.share(other, -1, 0, 1) >= most;
}

}  // namespace glossa
