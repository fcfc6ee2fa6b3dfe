#include "autograd/kernels/bf16/product.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace glossa::kernels::bf16 {

namespace {

/// Number of pairs along k that are summed in registers before the sums return to C. With this number, a panel of B
/// takes 32 KiB and stays in the L1 cache.
constexpr Index block_pairs = 128;

/// Pairs [first, first + count) of the k numbers to sum.
struct Block {
  Index first, count, k;

  Index begin() const { return 2 * first; }
  Index size() const { return std::min(2 * count, k - begin()); }  // size in numbers
  bool ends_in_half_pair() const { return size() % 2 != 0; }
};

/// A thread's memory for packing. It is allocated at once for the largest tiles, so later steps allocate nothing.
template <int purpose>
Pair* scratch(Index pairs) {
  static thread_local std::vector<std::uint32_t> memory(std::max(most_rows, panel_columns) * block_pairs);
  if (std::ssize(memory) < pairs) memory.resize(static_cast<std::size_t>(pairs));
  return memory.data();
}

/// A factor's rows as rows of pairs, for sums along its rows. Row i starts at data + i * stride.
struct PairRows {
  const Pair* data;
  Index stride;
};

PairRows pair_rows(const Kind& kind, Index rows, const Factor<float>& from, const Block& block, Pair* memory) {
  const bool starts_with_pair = reinterpret_cast<std::uintptr_t>(from.rounded) % alignof(Pair) == 0;
  if (from.rounded && starts_with_pair && from.stride % 2 == 0 && !block.ends_in_half_pair())
    return {reinterpret_cast<const Pair*>(from.rounded + block.begin()), from.stride / 2};
  for (Index i = 0; i < rows; ++i) {
    auto* const to = reinterpret_cast<Bf16*>(memory + i * block.count);
    const Index at = i * from.stride + block.begin();
    if (from.rounded)
      std::copy_n(from.rounded + at, block.size(), to);
    else
      kind.round(block.size(), from.data + at, to);
    if (block.ends_in_half_pair()) to[block.size()] = {};
  }
  return {memory, block.count};
}

/// Writes columns [first, first + cols) of a factor as pairs [pairs, stride], for sums along its columns.
void pair_columns(const Kind& kind, Index first, Index cols, const Factor<float>& from, const Block& block, Pair* to,
                  Index stride) {
  for (Index p = 0; p < block.count; ++p) {
    const Index at = (block.begin() + 2 * p) * from.stride + first;
    const bool whole = 2 * p + 1 < block.size();
    if (from.rounded)
      kind.interleave(cols, from.rounded + at, whole ? from.rounded + at + from.stride : nullptr, to + p * stride);
    else
      kind.round_interleave(cols, from.data + at, whole ? from.data + at + from.stride : nullptr, to + p * stride);
  }
}

/// Packs one block of one panel as [pairs, panel_columns].
void pack_block(const Kind& kind, Index first, Index cols, const Factor<float>& b, const Block& block, Pair* to) {
  for (Index p = 0; p < block.count && cols < panel_columns; ++p)
    std::fill(to + p * panel_columns + cols, to + (p + 1) * panel_columns, 0);
  if (!b.transposed) return pair_columns(kind, first, cols, b, block, to, panel_columns);
  const PairRows rows =
      pair_rows(kind, cols, b.moved(first * b.stride), block, scratch<0>(panel_columns * block_pairs));
  kind.transpose(cols, block.count, rows.data, rows.stride, to, panel_columns);
}

/// The left factor's pairs in one block.
LeftPairs left_pairs(const Kind& kind, Index rows, const Factor<float>& a, const Block& block) {
  if (!a.transposed) {
    const PairRows whole = pair_rows(kind, rows, a, block, scratch<1>(rows * block.count));
    return {whole.data, whole.stride, 1};
  }
  Pair* const columns = scratch<1>(rows * block.count);
  pair_columns(kind, 0, rows, a, block, columns, rows);
  if (!kind.left_in_rows) return {columns, 1, rows};
  Pair* const turned = scratch<2>(rows * block.count);
  kind.transpose(block.count, rows, columns, rows, turned, block.count);
  return {turned, block.count, 1};
}

template <class Work>
void for_blocks(Index k, const Work& work) {
  const Index pairs = (k + 1) / 2;
  for (Index first = 0; first < pairs; first += block_pairs)
    work(Block{first, std::min(block_pairs, pairs - first), k});
}

}  // namespace

Index packed_size(Index n, Index k) { return panels(n) * panel_columns * ((k + 1) / 2); }

void pack_panel(const Kind& kind, Index n, Index k, const Factor<float>& b, Index panel, Pair* to) {
  const Index first = panel * panel_columns, pairs = (k + 1) / 2;
  for_blocks(k, [&](const Block& block) {
    pack_block(kind, first, std::min(panel_columns, n - first), b, block,
               to + (panel * pairs + block.first) * panel_columns);
  });
}

void tile(const Kind& kind, Index m, Index n, Index k, const Factor<float>& a, const Factor<float>& b, float beta,
          float* c, Index stride) {
  const Index pairs = (k + 1) / 2;
  for_blocks(k, [&](const Block& block) {
    const LeftPairs left = left_pairs(kind, m, a, block);
    for (Index j = 0; j < n; j += panel_columns) {
      const Index cols = std::min(panel_columns, n - j);
      const Pair* right = b.packed ? b.packed + (j / panel_columns * pairs + block.first) * panel_columns : nullptr;
      if (!right) {
        Pair* const own = scratch<3>(panel_columns * block_pairs);
        pack_block(kind, j, cols, b, block, own);
        right = own;
      }
      kind.multiply(m, cols, block.count, left, right, beta != 0 || block.first > 0, c + j, stride);
    }
  });
}

}  // namespace glossa::kernels::bf16
