#pragma once

#include <doctest/doctest.h>

#include <cstring>

#include "autograd/kernels/amx_tiles.h"

namespace glossa::testing {

/// AMX's tiles in plain loops, as Intel's manual describes the instructions. Subclasses add `multiply<c, a, b>()`.
class EmulatedTiles {
 public:
  explicit EmulatedTiles(const kernels::TileShapes& shapes) : shapes_(shapes) {}

  template <int tile>
  void load(const void* from, Index row_bytes) {
    REQUIRE(shapes_.rows[tile] > 0);
    for (int i = 0; i < shapes_.rows[tile]; ++i)
      std::memcpy(bits_[tile][i], static_cast<const char*>(from) + i * row_bytes, shapes_.row_bytes[tile]);
  }

  template <int tile>
  void store(void* to, Index row_bytes) {
    for (int i = 0; i < shapes_.rows[tile]; ++i)
      std::memcpy(static_cast<char*>(to) + i * row_bytes, bits_[tile][i], shapes_.row_bytes[tile]);
  }

 protected:
  std::uint32_t bits(int tile, int row, int col) const { return bits_[tile][row][col]; }

  /// Returns the rows of a tile. For a tile of factor B, they are the 4-byte groups over which a product sums.
  int depth(int tile) const { return shapes_.rows[tile]; }

  /// Replaces each element (i, j) of tile c by next(element, i, j), after a check of the shapes.
  template <class Next>
  void multiply_with(int c, int a, int b, const Next& next) {
    REQUIRE(shapes_.rows[c] == shapes_.rows[a]);
    REQUIRE(shapes_.row_bytes[c] == shapes_.row_bytes[b]);
    REQUIRE(shapes_.row_bytes[a] == 4 * shapes_.rows[b]);
    for (int i = 0; i < shapes_.rows[c]; ++i)
      for (int j = 0; j < shapes_.row_bytes[c] / 4; ++j) bits_[c][i][j] = next(bits_[c][i][j], i, j);
  }

 private:
  kernels::TileShapes shapes_;
  std::uint32_t bits_[8][16][16] = {};
};

}  // namespace glossa::testing
