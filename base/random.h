#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace glossa {

/// Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"): a pure function from a 128-bit
/// counter and a 64-bit key to 128 random bits. It has no state. Numbers therefore depend neither on the order of the
/// calls nor on the number of threads, and a resumed run draws the same ones.
using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

inline PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
               static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

/// 64-bit mixing function (SplitMix64 finalizer, Steele et al. 2014).
inline std::uint64_t mix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// FNV-1a hash of the bytes, then mix64. Turns a stream's name into a number.
inline std::uint64_t hash_name(std::string_view name) {
  std::uint64_t h = 0xCBF29CE484222325u;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return mix64(h);
}

/// The two-word key of a Philox stream: a hash of a seed and the stream's purpose (an update, a name, an epoch).
inline PhiloxKey philox_key(std::uint64_t seed, std::uint64_t purpose) {
  const std::uint64_t k = mix64(mix64(seed) ^ (purpose + 0x632BE59BD9B4E019u));
  return {static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k >> 32)};
}

/// Sequence of random numbers for setup work (initializers, shuffles, generators): one Philox key with consecutive
/// counters.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t purpose) : key_(philox_key(seed, purpose)) {}
  RandomStream(std::uint64_t seed, std::string_view purpose) : RandomStream(seed, hash_name(purpose)) {}

  /// 32 random bits.
  std::uint32_t bits() {
    if (next_ == 4) {
      block_ = philox({static_cast<std::uint32_t>(count_), static_cast<std::uint32_t>(count_ >> 32), 0, 0}, key_);
      ++count_;
      next_ = 0;
    }
    return block_[next_++];
  }

  /// Uniform in [0, 1), 53 bits.
  double uniform() {
    const std::uint64_t high = bits() >> 5, low = bits() >> 6;
    return static_cast<double>((high << 26) | low) * 0x1.0p-53;
  }

  /// Uniform in {0, ..., n - 1}, n >= 1, without bias (Lemire 2019).
  std::uint64_t below(std::uint64_t n) {
    for (;;) {
      const std::uint64_t x = (std::uint64_t{bits()} << 32) | bits();
      const unsigned __int128 product = static_cast<unsigned __int128>(x) * n;
      const auto low = static_cast<std::uint64_t>(product);
      if (low >= n || low >= (0 - n) % n) return static_cast<std::uint64_t>(product >> 64);  // the division is rare
    }
  }

  /// Standard normal (Box and Muller 1958; only one number of each pair is used).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  PhiloxKey key_;
  PhiloxCounter block_{};
  std::uint64_t count_ = 0;
  int next_ = 4;
};

}  // namespace glossa
