#include <doctest/doctest.h>

#include <vector>

#include "autograd/kernels/dropout.h"

using namespace glossa;

// The masks are drawn many counters at a time. Here they are drawn one by one, with the Philox that random_test.cpp
// checks against published vectors.

namespace {

const kernels::DropoutSite site({0x12345678, 0x9ABCDEF0}, 7, 0.3);

/// True if number `lane` (of 16 bits) of a counter keeps.
int kept(PhiloxCounter counter, Index lane) {
  return (philox(counter, site.key)[lane / 2] >> lane % 2 * 16 & 0xFFFF) >= site.threshold;
}

std::uint32_t word(Index i) { return static_cast<std::uint32_t>(i); }

}  // namespace

TEST_CASE("a dropout mask is Philox of (column block, position, sequence, site), eight columns per counter") {
  const std::vector<RowSpan> spans{{1, 3}, {4, 2}};
  const std::vector<std::uint32_t> ids{11, 5};
  const RowLayout layout{.rows = 7, .sequences = spans, .sequence_ids = ids, .first_position = 2};
  for (const Index cols : {1, 40, 128, 300}) {
    std::vector<std::uint8_t> mask(7 * cols, 9);
    kernels::dropout_mask(mask, cols, site, layout);
    std::vector<std::uint8_t> expected(7 * cols, 0);  // gaps: rows 0 and 6
    for (std::size_t b = 0; b < spans.size(); ++b)
      for (Index t = 0; t < spans[b].length; ++t)
        for (Index j = 0; j < cols; ++j)
          expected[(spans[b].offset + t) * cols + j] = static_cast<std::uint8_t>(
              kept({word(j / 128 * 16 + j % 16), word(2 + t), ids[b], site.site}, j % 128 / 16));
    CHECK(mask == expected);
  }
}

TEST_CASE(
    "a mask of attention is Philox of (key and group of heads, position, sequence, site), eight heads per counter") {
  const std::vector<RowSpan> queries{{0, 3}, {3, 18}}, keys{{0, 5}, {5, 2}};
  const std::vector<std::uint32_t> ids{11, 5};
  const RowLayout query{.rows = 21, .sequences = queries, .sequence_ids = ids}, key{.rows = 7, .sequences = keys};
  for (const Index vector : {2, 4, 8, 16})
    for (const Index heads : {1, 4, 11}) {
      const auto padded = [&](Index n) { return (n + vector - 1) / vector * vector; };
      const std::vector<Index> cells{0, 5 * padded(3), 5 * padded(3) + 2 * padded(18)};
      std::vector<std::uint8_t> mask(heads * cells[2], 9);
      kernels::attention_dropout_mask(mask, heads, cells, vector, site, query, key);
      Index wrong = 0;
      for (std::size_t b = 0; b < queries.size(); ++b)
        for (Index h = 0; h < heads; ++h)
          for (Index j = 0; j < keys[b].length; ++j)
            for (Index i = 0; i < queries[b].length; ++i)
              wrong += mask[heads * cells[b] + (h * keys[b].length + j) * padded(queries[b].length) + i] !=
                       kept({word(j | h / 8 << 20), word(i), ids[b], site.site}, h % 8);
      CHECK(wrong == 0);
    }
}
