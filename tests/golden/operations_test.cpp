// Ops compared with PyTorch's modules. Two definitions differ and are not compared: the mean loss without counted rows
// (NaN there; sum 0 and count 0 in glossa), and padding_idx of nn.Embedding (glossa does not read padding).
#include <doctest/doctest.h>

#include "tests/golden/golden_case.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// Parameters that no layer declares.
template <class T>
Variable<T> parameter(GoldenCase<T>& one, const std::string& name) {
  return one.context.parameter(one.store.at(name));
}

template <class T>
void declare(GoldenCase<T>& one, const std::string& name, const Shape& shape) {
  one.store.declare(name, shape, [](std::span<double>, const Shape&, RandomStream&) {});
}

}  // namespace

TEST_CASE_TEMPLATE("layer_norm agrees with nn.LayerNorm, with and without affine part", T, double, float) {
  const Golden<T> golden("pytorch/operations");
  GoldenCase<T> plain(golden, "layer_norm");
  plain.begin();
  plain.check_value(layer_norm(plain.input("x"), 1e-5));

  GoldenCase<T> affine(golden, "layer_norm_affine");
  const Shape shape{golden.tensor("layer_norm_affine/in/x").cols()};
  declare(affine, "weight", shape);
  declare(affine, "bias", shape);
  affine.begin();
  const Variable<T> x = affine.input("x");
  affine.check_value(layer_norm(x, parameter(affine, "weight"), parameter(affine, "bias"), 1e-5));
}

TEST_CASE_TEMPLATE("rms_norm agrees with nn.RMSNorm, with and without gain", T, double, float) {
  const Golden<T> golden("pytorch/operations");
  GoldenCase<T> plain(golden, "rms_norm");
  plain.begin();
  plain.check_value(rms_norm(plain.input("x"), 1e-5));

  GoldenCase<T> affine(golden, "rms_norm_affine");
  declare(affine, "weight", {golden.tensor("rms_norm_affine/in/x").cols()});
  affine.begin();
  affine.check_value(rms_norm(affine.input("x"), parameter(affine, "weight"), 1e-5));
}

TEST_CASE_TEMPLATE("swiglu and geglu agree with products of silu and gelu", T, double, float) {
  const Golden<T> golden("pytorch/operations");
  GoldenCase<T> swish(golden, "swiglu"), gaussian(golden, "geglu");
  swish.begin();
  swish.check_value(swiglu(swish.input("x")));
  gaussian.begin();
  gaussian.check_value(geglu(gaussian.input("x")));
}

TEST_CASE_TEMPLATE("embedding agrees with nn.Embedding: repeated, first and last ids", T, double, float) {
  const Golden<T> golden("pytorch/operations");
  GoldenCase<T> one(golden, "embedding");
  declare(one, "weight", golden.tensor("embedding/param/weight").shape);
  one.begin();
  one.check_value(embedding(parameter(one, "weight"), one.ids("ids")));
}

TEST_CASE_TEMPLATE("cross_entropy agrees with nn.CrossEntropyLoss: ignored rows, smoothing, all rows ignored", T,
                   double, float) {
  const Golden<T> golden("pytorch/operations");
  constexpr int pad = 1;
  for (const char* name : {"plain", "ignoring", "smoothed", "nothing_counted"}) {
    CAPTURE(name);
    GoldenCase<T> one(golden, fmt::format("cross_entropy_{}", name));
    one.begin();
    const std::vector<int> targets = one.ids("targets");
    const CrossEntropy<T> loss = cross_entropy(one.input("x"), targets, pad, golden.number(one.path("in/smoothing")));
    one.check_loss(loss.sum, 1);
    const auto counted = std::ranges::count_if(targets, [](int target) { return target != pad; });
    CHECK_EQ(loss.count, counted);
    if (counted > 0) golden.check(one.path("out/mean"), scale(loss.sum, 1.0 / static_cast<double>(counted)).value());
  }
}
