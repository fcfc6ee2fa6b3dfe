// Division of attention's heads into pieces of work.

#include <doctest/doctest.h>

#include <vector>

#include "autograd/kernels/attention_paths.h"

using namespace glossa;

TEST_CASE("heads of less than 32 sentences are computed apart, unless they share work") {
  using enum kernels::Pass;
  const auto together = [](std::size_t sentences, RowSpan queries, kernels::Pass pass) {
    const std::vector<RowSpan> rows(sentences, queries), keys(sentences, RowSpan{0, 30});
    const kernels::AttentionShape<float> shape{.query = {.rows = 30, .sequences = rows},
                                               .key = {.rows = 30, .sequences = keys},
                                               .heads = 6,
                                               .key_heads = 2,
                                               .key_width = 1,
                                               .value_width = 1,
                                               .causal = false,
                                               .scale = 1};
    return kernels::heads_together(shape, 0, pass);
  };
  const RowSpan whole{0, 30}, few{0, 3};
  CHECK(together(31, whole, forward) == 1);
  CHECK(together(31, few, forward) == 3);
  CHECK(together(32, whole, forward) == 6);
  CHECK(together(31, whole, backward) == 3);
  CHECK(together(31, few, backward) == 3);
  CHECK(together(32, whole, backward) == 6);
}
