#include "decoding/sample_tokens.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"

namespace glossa {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A row of logits and the tokens that may be drawn from it. Computes in double and sums by id, which makes the result
/// independent of the instruction set.
template <class T>
class LogitsRow {
 public:
  LogitsRow(std::span<const T> x, std::span<const int> never, const DecodeOptions& options)
      : x_(x), never_(never), options_(options) {
    for (int j = 0; j < size(); ++j) {
      top_ = std::max(top_, logit(j));
      if (may_come(j)) best_ = std::max(best_, logit(j));
    }
    if (options.renormalize) top_ = best_;
    for (int j = 0; j < size(); ++j)
      if (!options.renormalize || may_come(j)) whole_ += std::exp(logit(j) - top_);
  }

  bool has_probabilities() const { return best_ > -infinity && !std::isnan(whole_); }

  /// Keeps only the tokens that top_k and top_p allow.
  void truncate(std::vector<TokenScore>& candidates) {
    candidates.clear();
    candidates.reserve(x_.size());
    for (int j = 0; j < size(); ++j)
      if (may_come(j)) candidates.push_back({logit(j), j});
    if (options_.top_k > 0 && options_.top_k < std::ssize(candidates)) {
      const auto last = candidates.begin() + options_.top_k - 1;
      std::nth_element(candidates.begin(), last, candidates.end(), better);
      last_ = *last;
      candidates.erase(last + 1, candidates.end());
    }
    if (options_.top_p >= 1) return;
    const double nucleus = options_.top_p * total();
    const auto comes_later = [](const TokenScore& a, const TokenScore& b) { return better(b, a); };
    std::ranges::make_heap(candidates, comes_later);  // makes the most probable one the top
    double sum = 0;
    for (auto end = candidates.end(); end != candidates.begin() && !(sum >= nucleus); --end) {
      std::pop_heap(candidates.begin(), end, comes_later);
      last_ = *(end - 1);
      sum += share(last_.token);
    }
  }

  /// Returns the token that `uniform` draws.
  TokenScore draw(double uniform) const {
    const double needed = uniform * total();
    int drawn = 0;
    double sum = 0;
    for (int j = 0; j < size() && !(sum > needed); ++j) {
      const double probability = share(j);
      if (probability > 0) drawn = j;
      sum += probability;
    }
    return {logit(drawn) - top_ - std::log(whole_), drawn};
  }

 private:
  int size() const { return static_cast<int>(x_.size()); }
  double logit(int j) const { return static_cast<double>(x_[static_cast<std::size_t>(j)]); }
  bool may_come(int j) const { return std::ranges::find(never_, j) == never_.end(); }

  /// Returns a token's probability at the temperature, up to a factor common to the row; 0 if it cannot be drawn.
  double share(int j) const {
    if (better(last_, {logit(j), j}) || !may_come(j)) return 0;
    return std::exp((logit(j) - best_) / options_.temperature);
  }

  double total() const {
    double sum = 0;
    for (int j = 0; j < size(); ++j) sum += share(j);
    return sum;
  }

  std::span<const T> x_;
  std::span<const int> never_;
  const DecodeOptions& options_;
  double top_ = -infinity, best_ = -infinity;                    // largest logit, and largest allowed one
  double whole_ = 0;                                             // denominator of the softmax, relative to top_
  TokenScore last_{-infinity, std::numeric_limits<int>::max()};  // least probable token that may be drawn
};

}  // namespace

template <class T>
void sample_tokens(const Tensor<const T>& logits, std::span<const int> never, const DecodeOptions& options,
                   std::span<const double> uniforms, std::span<TokenScore> drawn, SamplingMemory& memory) {
  const double temperature = options.temperature, top_p = options.top_p;
  check(temperature > 0, "decode.temperature", "expected a number above 0; got {}", temperature);
  check(options.top_k >= 0, "decode.top_k", "expected at least 0; got {}", options.top_k);
  check(top_p > 0 && top_p <= 1, "decode.top_p", "expected a number above 0 and at most 1; got {}", top_p);
  check(
      std::ssize(uniforms) == logits.rows() && std::ssize(drawn) == logits.rows() && std::ssize(never) < logits.cols(),
      "sample_tokens", "expected a number and room for each of {} rows; got {} and {}", logits.rows(), uniforms.size(),
      drawn.size());
  memory.resize(std::max(memory.size(), static_cast<std::size_t>(threads())));
  const bool truncates = options.top_k > 0 || top_p < 1;
  parallel_for(logits.rows(), [&](Index r) {
    LogitsRow<T> row({logits.row(r), static_cast<std::size_t>(logits.cols())}, never, options);
    drawn[r] = {std::numeric_limits<double>::quiet_NaN(), 0};
    if (!row.has_probabilities()) return;
    if (truncates) row.truncate(memory[static_cast<std::size_t>(thread_index())]);
    drawn[r] = row.draw(uniforms[r]);
  });
  check_probabilities(drawn);
}

double sampling_uniform(std::uint64_t seed, std::uint64_t sentence, std::uint32_t position, std::uint32_t sample) {
  static const std::uint64_t purpose = hash_name("decode.sample");
  const PhiloxCounter bits =
      philox({static_cast<std::uint32_t>(sentence), static_cast<std::uint32_t>(sentence >> 32), position, sample},
             philox_key(seed, purpose));
  return ((static_cast<std::uint64_t>(bits[0]) << 21) | (bits[1] >> 11)) * 0x1p-53;
}

template void sample_tokens(const Tensor<const float>&, std::span<const int>, const DecodeOptions&,
                            std::span<const double>, std::span<TokenScore>, SamplingMemory&);
template void sample_tokens(const Tensor<const double>&, std::span<const int>, const DecodeOptions&,
                            std::span<const double>, std::span<TokenScore>, SamplingMemory&);

}  // namespace glossa
