#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <tuple>

#include "autograd/kernels/panel.h"

/// Loops over AMX's tiles, for the processor's own tiles or a test's emulation.
namespace glossa::kernels {

/// Rows and columns of a tile, in elements of 4 bytes.
inline constexpr Index tile_side = 16;

/// Shapes of the eight tiles, in the format of the instruction `ldtilecfg`.
struct alignas(64) TileShapes {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};

  void set(int tile, Index row_count, Index cols) {
    rows[tile] = static_cast<std::uint8_t>(row_count);
    row_bytes[tile] = static_cast<std::uint16_t>(4 * cols);
  }
};

/// The processor's tiles, configured for the object's lifetime. Written in assembly because compilers accept only
/// literal tile numbers for these instructions. Derived classes, one for bf16 and one for int8, add `multiply<c, a,
/// b>()`, their instruction for C += A B.
class ProcessorTiles {
 public:
  explicit ProcessorTiles(const TileShapes& shapes) { asm volatile("ldtilecfg %0" : : "m"(shapes)); }
  ~ProcessorTiles() { asm volatile("tilerelease"); }
  ProcessorTiles(const ProcessorTiles&) = delete;
  ProcessorTiles& operator=(const ProcessorTiles&) = delete;

  template <int tile>
  void load(const void* from, Index row_bytes) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(row_bytes), "i"(tile) : "memory");
  }

  template <int tile>
  void store(void* to, Index row_bytes) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(row_bytes), "i"(tile) : "memory");
  }
};

/// Copies of the last `count` units, fewer than tile_side, for up to two tiles of A and two of B, padded with zeros.
struct LastUnits {
  Unit a[2 * tile_side * tile_side] = {}, b[tile_side * 2 * tile_side] = {};

  LastUnits(Index rows, Index cols, Index count, const Unit* from_a, Index row, const Unit* from_b) {
    for (Index i = 0; i < rows; ++i) std::copy_n(from_a + i * row, count, a + i * tile_side);
    for (Index p = 0; p < count; ++p) std::copy_n(from_b + p * panel_columns, cols, b + p * 2 * tile_side);
  }
};

/// Computes C [rows, cols], at most 32 x 32, in tiles 0 to 3. Tiles 4 and 5 hold 16 units of A's rows, tiles 6 and 7
/// hold 16 units of B's columns; each tile serves two products. `Tiles` provides the instructions; a `Sum` has 4 bytes.
template <class Tiles, class Sum>
void amx_block(Index rows, Index cols, Index units, const Unit* a, Index row, const Unit* b, bool add, Sum* c,
               Index stride) {
  const Index top = std::min(rows, tile_side), bottom = rows - top, left = std::min(cols, tile_side),
              right = cols - left;
  TileShapes shapes;
  for (const auto& [tile, height, width] : {std::tuple{0, top, left},
                                            {1, top, right},
                                            {2, bottom, left},
                                            {3, bottom, right},
                                            {4, top, tile_side},
                                            {5, bottom, tile_side},
                                            {6, tile_side, left},
                                            {7, tile_side, right}})
    if (height > 0 && width > 0) shapes.set(tile, height, width);
  Tiles tiles(shapes);

  Sum* const below = c + tile_side * stride;
  const Index c_bytes = 4 * stride;
  if (add) {
    tiles.template load<0>(c, c_bytes);
    if (right > 0) tiles.template load<1>(c + tile_side, c_bytes);
    if (bottom > 0) tiles.template load<2>(below, c_bytes);
    if (right > 0 && bottom > 0) tiles.template load<3>(below + tile_side, c_bytes);
  }  // without `add`, the configuration has zeroed the tiles
  const auto multiply = [&](const Unit* from_a, Index a_bytes, const Unit* from_b, Index b_bytes) {
    tiles.template load<4>(from_a, a_bytes);
    tiles.template load<6>(from_b, b_bytes);
    tiles.template multiply<0, 4, 6>();
    if (right > 0) {
      tiles.template load<7>(from_b + tile_side, b_bytes);
      tiles.template multiply<1, 4, 7>();
    }
    if (bottom == 0) return;
    tiles.template load<5>(from_a + tile_side * a_bytes / 4, a_bytes);
    tiles.template multiply<2, 5, 6>();
    if (right > 0) tiles.template multiply<3, 5, 7>();
  };
  Index p = 0;
  for (; p + tile_side <= units; p += tile_side) multiply(a + p, 4 * row, b + p * panel_columns, 4 * panel_columns);
  if (p < units) {
    const LastUnits last(rows, cols, units - p, a + p, row, b + p * panel_columns);
    multiply(last.a, 4 * tile_side, last.b, 8 * tile_side);
  }
  tiles.template store<0>(c, c_bytes);
  if (right > 0) tiles.template store<1>(c + tile_side, c_bytes);
  if (bottom > 0) tiles.template store<2>(below, c_bytes);
  if (right > 0 && bottom > 0) tiles.template store<3>(below + tile_side, c_bytes);
}

/// C [rows, cols] = A B, or += if `add`, for at most one panel of columns. Row i of A starts at a[i * row].
template <class Tiles, class Sum>
void amx_multiply(Index rows, Index cols, Index units, const Unit* a, Index row, const Unit* b, bool add, Sum* c,
                  Index stride) {
  constexpr Index side = 2 * tile_side;
  for (Index j = 0; j < cols; j += side)
    for (Index i = 0; i < rows; i += side)
      amx_block<Tiles>(std::min(side, rows - i), std::min(side, cols - j), units, a + i * row, row, b + j, add,
                       c + i * stride + j, stride);
}

}  // namespace glossa::kernels
