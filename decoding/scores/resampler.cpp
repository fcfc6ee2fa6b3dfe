#include "decoding/scores/resampler.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace glossa {

Resampler::Resampler(std::uint32_t lines) : lines_(lines) {
  check(lines > 0, "paired_bootstrap", "expected at least one line; got none");
}

std::uint32_t Resampler::bits() {
  if (has_kept_) {
    has_kept_ = false;
    return kept_;
  }
  constexpr Wide multiplier = Wide{0x2360ed051fc65da4} << 64 | 0x4385df649fccf645;
  state_ = state_ * multiplier + increment;
  const auto high = static_cast<std::uint64_t>(state_ >> 64), low = static_cast<std::uint64_t>(state_);
  const std::uint64_t word = std::rotr(high ^ low, static_cast<int>(high >> 58));
  kept_ = static_cast<std::uint32_t>(word >> 32);
  has_kept_ = true;
  return static_cast<std::uint32_t>(word);
}

void Resampler::draw(std::span<std::uint32_t> drawn) {
  if (lines_ == 1) {  // a single line needs no random bits, as in NumPy
    std::ranges::fill(drawn, 0U);
    return;
  }
  const std::uint32_t threshold = (0 - lines_) % lines_;  // 2^32 modulo lines_
  for (std::uint32_t& line : drawn) {
    std::uint64_t product = 0;
    do product = std::uint64_t{bits()} * lines_;
    while (static_cast<std::uint32_t>(product) < threshold);
    line = static_cast<std::uint32_t>(product >> 32);
  }
}

}  // namespace glossa
