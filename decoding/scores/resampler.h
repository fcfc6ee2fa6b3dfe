#pragma once

#include <cstdint>
#include <span>

namespace glossa {

/// Draws resamples of a text's lines, with replacement. They equal those of sacreBLEU with its seed 12345, which are
/// NumPy's `default_rng(12345).choice(lines, size=(resamples, lines))`. The generator is PCG64 (O'Neill 2014); numbers
/// below a bound come from Lemire's method (2019).
class Resampler {
 public:
  static constexpr int seed = 12345;

  /// Throws Error if `lines`, the number of lines, is 0.
  explicit Resampler(std::uint32_t lines);

  /// Fills `drawn` with the next line indices.
  void draw(std::span<std::uint32_t> drawn);

 private:
  using Wide = unsigned __int128;

  std::uint32_t bits();  // 32 random bits

  // State of NumPy's generator after seeding.
  static constexpr Wide increment = Wide{0xc9c7353e6e2b1f28} << 64 | 0x7d761f2d4027fae7;
  Wide state_ = Wide{0x1905e0335aae9634} << 64 | 0x9199b0d09775add5;

  std::uint32_t lines_, kept_ = 0;  // kept_ is the upper half of the last 64 bits
  bool has_kept_ = false;
};

}  // namespace glossa
