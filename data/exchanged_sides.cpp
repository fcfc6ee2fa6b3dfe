#include "data/exchanged_sides.h"

#include <array>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

constexpr std::size_t buckets = 1 << 14;

/// Calls `act` with the bucket of each trigram of letters. All other characters count as spaces.
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

/// Frequencies of the trigrams on one side.
class Frequencies {
 public:
  void add(std::string_view text) {
    for_each_trigram(text, [&](std::size_t bucket) { ++counts_[bucket]; });
  }
  double total() const { return std::accumulate(counts_.begin(), counts_.end(), 0.0); }
  double operator[](std::size_t bucket) const { return counts_[bucket]; }

 private:
  std::vector<double> counts_ = std::vector<double>(buckets);
};

/// Rates texts by the logarithm of the ratio of a trigram's frequencies on both sides.
class SideRating {
 public:
  SideRating(const Frequencies& source, const Frequencies& target) {
    const double of_source = source.total() + 1, of_target = target.total() + 1, floor = 1 / (of_source + of_target);
    for (std::size_t i = 0; i < buckets; ++i)
      log_ratios_[i] = std::log((source[i] / of_source + floor) / (target[i] / of_target + floor));
  }

  /// Mean over the text's trigrams: positive if it looks like a source, negative if it looks like a target.
  double operator()(std::string_view text) const {
    double sum = 0, count = 1;
    for_each_trigram(text, [&](std::size_t bucket) {
      sum += log_ratios_[bucket];
      ++count;
    });
    return sum / count;
  }

  /// Share of the pairs `first`, `first` + `step`, ... that fit as they are (`sign` 1) or exchanged (`sign` -1).
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
  Frequencies source, target;
  for (std::size_t i = 0; i < corpus.source.size(); i += 2) {
    source.add(corpus.source[i]);
    target.add(corpus.target[i]);
  }
  const SideRating rating(source, target);
  return rating.share(corpus, 1, 1, 2) >= reliable && rating.share(other, -1, 0, 1) >= most;
}

}  // namespace glossa
