// Attention with relative positions compared with their formulas in PyTorch.
#include <doctest/doctest.h>

#include "layers/attention.h"
#include "tests/golden/golden_case.h"

using namespace glossa;
using namespace glossa::testing;

TEST_CASE_TEMPLATE("rotary positions agree with products of complex numbers in PyTorch", T, double, float) {
  const Golden<T> golden("pytorch/positions");
  for (const char* name : {"rotary", "rotary_causal"}) {
    CAPTURE(name);
    GoldenCase<T> one(golden, name);
    const SelfAttention<T> layer(one.store, "layer",
                                 {.width = 2 * width,
                                  .heads = heads,
                                  .causal = name == std::string("rotary_causal"),
                                  .relative_positions = RelativePositions::rotary,
                                  .rotary_base = golden.number(one.path("in/base"))});
    one.begin();
    const Sequences sequences = one.sequences("lengths");
    one.check_value(layer(one.input("x"), sequences.layout()));
  }
}

TEST_CASE_TEMPLATE("ALiBi agrees with its biases in PyTorch, for any number of heads", T, double, float) {
  const Golden<T> golden("pytorch/positions");
  for (const char* name : {"alibi", "alibi_causal"}) {
    CAPTURE(name);
    GoldenCase<T> one(golden, name);
    const SelfAttention<T> layer(one.store, "layer",
                                 {.width = 2 * width,
                                  .heads = golden.ints(one.path("in/heads")).at(0),
                                  .causal = name == std::string("alibi_causal"),
                                  .relative_positions = RelativePositions::alibi});
    one.begin();
    const Sequences sequences = one.sequences("lengths");
    one.check_value(layer(one.input("x"), sequences.layout()));
  }
}
