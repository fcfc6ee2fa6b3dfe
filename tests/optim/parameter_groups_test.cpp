#include "optim/parameter_groups.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "tests/optim/optim_test.h"

using namespace glossa;
using namespace glossa::test;

namespace {

using Segments = std::vector<Segment>;

// In name order, in floats, 16 to a cache line: decoder.in_bias [0, 16), decoder.weight [16, 20224),
// encoder.bias [20224, 20240), encoder.norm.weight [20240, 20256), encoder.weight [20256, 20304).

std::vector<std::string> frozen_by(const std::vector<std::string>& patterns) {
  Model<float> model;
  freeze(model.store, patterns);
  std::vector<std::string> frozen;
  for (const Parameter<float>* parameter : model.store.parameters())
    if (!parameter->trainable) frozen.push_back(parameter->name);
  return frozen;
}

}  // namespace

TEST_CASE("norms and biases do not decay unless requested, and adjacent segments are merged") {
  const Model<float> model;
  CHECK(trainable_segments(model.store, 0.5) ==
        Segments{{0, 16, 0}, {16, 20224, 0.5}, {20224, 20256, 0}, {20256, 20304, 0.5}});
  CHECK(trainable_segments(model.store, 0.5, true) == Segments{{0, 20304, 0.5}});
  CHECK(trainable_segments(model.store) == Segments{{0, 20304, 0}});
}

TEST_CASE("frozen parameters are in no segment") {
  Model<float> model;
  freeze(model.store, {"encoder.norm.*", "decoder.in_bias"});
  CHECK(trainable_segments(model.store) == Segments{{16, 20240, 0}, {20256, 20304, 0}});
  freeze(model.store, {"*"});
  CHECK(trainable_segments(model.store).empty());
}

TEST_CASE("a fixed row is in no segment, wherever it is") {
  Model<float> model;
  Parameter<float>& weight = model.store.at("decoder.weight");
  const Index rows = weight.value.shape[0], width = weight.value.shape[1];
  for (const Index row : {Index{0}, Index{1}, rows - 1}) {
    CAPTURE(row);
    weight.fixed_row = row;
    const Index begin = 16 + row * width;
    CHECK(trainable_segments(model.store) == Segments{{0, begin, 0}, {begin + width, 20304, 0}});
  }
  weight.fixed_row = -1;
  model.store.at("decoder.in_bias").fixed_row = 0;
  CHECK(trainable_segments(model.store) == Segments{{9, 20304, 0}});
}

TEST_CASE("learning rates can be set by name, and the first matching pattern counts") {
  const Model<float> model;
  CHECK(trainable_segments(model.store, 0, false, {{"*.weight", 0.5}, {"decoder.*", 2}}) ==
        Segments{{0, 16, 0, 2}, {16, 20224, 0, 0.5}, {20224, 20240, 0, 1}, {20240, 20304, 0, 0.5}});
  CHECK_THROWS_WITH_AS(trainable_segments(model.store, 0, false, {{"weight", 0.5}}),
                       doctest::Contains("[ParameterGroup::pattern] expected a pattern that matches"), Error);
  for (const double wrong : {-0.5, std::nan(""), std::numeric_limits<double>::infinity()})
    CHECK_THROWS_WITH_AS(trainable_segments(model.store, 0, false, {{"*", wrong}}),
                         doctest::Contains("[ParameterGroup::lr_factor] expected a finite number of at least 0; got "),
                         Error);
}

TEST_CASE("betas can be set by name, and segments with different betas are not merged") {
  const Model<float> model;
  const AdamBetas betas{0.8, 0.95};
  CHECK(trainable_segments(model.store, 0, false, {{.pattern = "encoder.*", .betas = betas}}) ==
        Segments{{0, 20224, 0}, {20224, 20304, 0, 1, betas}});
}

TEST_CASE("segments are chosen by the names of their parameters") {
  Model<float> model;
  const auto chosen = [&](const std::vector<std::string>& patterns) {
    return segments_of(model.store, patterns, trainable_segments(model.store, 0.5));
  };
  CHECK(chosen({"*"}) == trainable_segments(model.store, 0.5));
  CHECK(chosen({"encoder.*"}) == Segments{{20224, 20256, 0}, {20256, 20304, 0.5}});
  CHECK(chosen({"*bias", "encoder.weight"}) == Segments{{0, 16, 0}, {20224, 20240, 0}, {20256, 20304, 0.5}});
  CHECK(chosen({}).empty());
  model.store.at("decoder.weight").fixed_row = 1;
  CHECK(chosen({"decoder.weight"}) == Segments{{16, 117, 0.5}, {218, 20224, 0.5}});
  freeze(model.store, {"decoder.*"});
  CHECK(chosen({"decoder.weight"}).empty());
  CHECK_THROWS_WITH_AS(chosen({"encode"}), doctest::Contains("[segments_of] expected a pattern that matches"), Error);
}

TEST_CASE("negative weight decay is refused") {
  const Model<float> model;
  CHECK_THROWS_WITH_AS(trainable_segments(model.store, -0.5),
                       "[weight_decay] expected a finite number of at least 0; got -0.5", Error);
}

TEST_CASE("a star matches any text, the rest of a pattern only itself") {
  using Names = std::vector<std::string>;
  CHECK(frozen_by({}).empty());
  CHECK(frozen_by({"encoder.*"}) == Names{"encoder.bias", "encoder.norm.weight", "encoder.weight"});
  CHECK(frozen_by({"*.weight"}) == Names{"decoder.weight", "encoder.norm.weight", "encoder.weight"});
  CHECK(frozen_by({"*norm*", "decoder.in_bias"}) == Names{"decoder.in_bias", "encoder.norm.weight"});
  CHECK(frozen_by({"encoder.weight"}) == Names{"encoder.weight"});
}

TEST_CASE("a pattern that matches nothing is a misuse error naming it") {
  for (const std::string pattern : {"encode.*", "encoder", "weight", ""}) {
    CAPTURE(pattern);
    try {
      frozen_by({"decoder.*", pattern});
      FAIL("expected an error");
    } catch (const Error& error) {
      CHECK(error.kind() == Error::Kind::misuse);
      CHECK(std::string(error.what()).find("[freeze]") == 0);
      CHECK(std::string(error.what()).find("got '" + pattern + "'") != std::string::npos);
    }
  }
}
