#include "train/decoding/sample_tokens.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/check.h"
#include "autograd/parallel.h"
#include "autograd/random.h"

namespace glossa {

namespace {

/// Draws a token of a row. Computes in double and by id, so the result does not depend on the instruction set.
template <class T>
TokenScore sample_row(const T* x, Index n, std::span<const int> never, double temperature, double uniform,
                      bool renormalize) {
  const auto may_come = [&](Index j) { return std::ranges::find(never, static_cast<int>(j)) == never.end(); };
  double top = -std::numeric_limits<double>::infinity(), best = top;  // maximum of all tokens, of the allowed ones
  for (Index j = 0; j < n; ++j) {
    top = std::max(top, static_cast<double>(x[j]));
    if (may_come(j)) best = std::max(best, static_cast<double>(x[j]));
  }
  const auto share = [&](Index j) {
    return may_come(j) ? std::exp((static_cast<double>(x[j]) - best) / temperature) : 0;
  };
  if (renormalize) top = best;
  double whole = 0, allowed = 0;
  for (Index j = 0; j < n; ++j) {
    if (!renormalize || may_come(j)) whole += std::exp(static_cast<double>(x[j]) - top);
    allowed += share(j);
  }
  Index drawn = 0;
  double sum = 0;
  for (Index j = 0; j < n && !(sum > uniform * allowed); ++j) {
    const double probability = share(j);
    if (probability > 0) drawn = j;
    sum += probability;
  }
  return {static_cast<double>(x[drawn]) - top - std::log(whole), static_cast<int>(drawn)};
}

}  // namespace

template <class T>
void sample_tokens(const Tensor<const T>& logits, std::span<const int> never, double temperature,
                   std::span<const double> uniforms, std::span<TokenScore> drawn, bool renormalize) {
  check(temperature > 0, "decode.temperature", "expected a number above 0; got {}", temperature);
  check(
      std::ssize(uniforms) == logits.rows() && std::ssize(drawn) == logits.rows() && std::ssize(never) < logits.cols(),
      "sample_tokens", "expected a number and room for each of {} rows; got {} and {}", logits.rows(), uniforms.size(),
      drawn.size());
  parallel_for(logits.rows(), [&](Index r) {
    drawn[r] = sample_row(logits.row(r), logits.cols(), never, temperature, uniforms[r], renormalize);
  });
  check_probabilities(drawn);
}

double sampling_uniform(std::uint64_t seed, std::uint64_t sentence, std::uint32_t position) {
  static const std::uint64_t purpose = hash_name("decode.sample");
  const PhiloxCounter bits =
      philox({static_cast<std::uint32_t>(sentence), static_cast<std::uint32_t>(sentence >> 32), position, 0},
             philox_key(seed, purpose));
  return ((static_cast<std::uint64_t>(bits[0]) << 21) | (bits[1] >> 11)) * 0x1p-53;
}

template void sample_tokens(const Tensor<const float>&, std::span<const int>, double, std::span<const double>,
                            std::span<TokenScore>, bool);
template void sample_tokens(const Tensor<const double>&, std::span<const int>, double, std::span<const double>,
                            std::span<TokenScore>, bool);

}  // namespace glossa
