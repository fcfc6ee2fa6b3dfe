#include <doctest/doctest.h>

#include <map>
#include <random>

#include "base/check.h"
#include "tests/train/trainer_fixture.h"
#include "train/model/model_factory.h"
#include "train/warm_start.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// The parameters' shapes; none if the options contradict each other.
std::map<std::string, std::string> shapes_of(const Config& config) {
  std::map<std::string, std::string> shapes;
  try {
    const std::unique_ptr<Model> model = make_model(config.model, 7, 7, 1);
    for (const auto* parameter : model->parameters.parameters()) shapes[parameter->name] = parameter->value.shape.str();
  } catch (const Error&) {
  }
  return shapes;
}

/// Values for each option of the model, of which some change shapes.
const std::map<std::string, std::vector<std::string>> option_values{
    {"width", {"8", "16"}},
    {"heads", {"2", "4"}},
    {"key_heads", {"0", "1", "2"}},
    {"head_width", {"0", "4", "8"}},
    {"similarity", {"scaled_dot", "dot", "general", "additive"}},
    {"feed_forward", {"0", "8", "12"}},
    {"encoder_layers", {"1", "2"}},
    {"decoder_layers", {"1", "2"}},
    {"dropout", {"0", "0.1"}},
    {"norm", {"pre", "post"}},
    {"final_norm", {"true", "false"}},
    {"norm_kind", {"layer", "rms"}},
    {"norm_affine", {"vector", "scalar", "gain", "none"}},
    {"activation", {"relu", "silu", "swiglu", "geglu"}},
    {"positions", {"sinusoidal", "learned", "rotary", "alibi"}},
    {"max_positions", {"300", "400"}},
    {"tied", {"none", "output", "all", "embeddings"}},
    {"bias", {"true", "false"}},
    {"attention_bias", {"null", "all", "output", "none"}},
    {"output_bias", {"true", "false"}},
    {"scale_embeddings", {"true", "false"}},
};

}  // namespace

TEST_CASE("the option is named whose value changes the parameters' shapes, and no other") {
  std::mt19937 random(38);
  const auto set_any = [&](Config& config, const std::string& name) {
    const auto& choices = option_values.at(name);
    config = load_config("", {"model." + name + "=" + choices[random() % choices.size()]}, config);
  };
  int named = 0, fitting = 0;
  for (int round = 0; round < 60; ++round) {
    Config base;
    for (const auto& [name, choices] : option_values) set_any(base, name);
    const auto shapes = shapes_of(base);
    if (shapes.empty()) continue;
    CHECK(differently_shaped(base, base).empty());
    for (const auto& option : option_values) {
      const std::string& name = option.first;
      Config changed = base;
      set_any(changed, name);
      CAPTURE(dump(base));
      CAPTURE(name);
      const bool fits = shapes_of(changed) == shapes;
      CHECK(differently_shaped(base, changed) == (fits ? "" : "model." + name));
      ++(fits ? fitting : named);
    }
    Config other = base;
    for (int k = 0; k < 3; ++k)
      set_any(other, std::next(option_values.begin(), random() % option_values.size())->first);
    if (!differently_shaped(base, other).empty()) CHECK(shapes_of(other) != shapes);
  }
  CHECK_GT(named, 100);
  CHECK_GT(fitting, 300);
}

TEST_CASE("RMS norm has the same gain with norm_affine: scalar and gain, as the option's description says") {
  const auto shapes = [](const char* affine) {
    return shapes_of(load_config("", {"model.norm_kind=rms", fmt::format("model.norm_affine={}", affine)}));
  };
  CHECK(shapes("scalar") == shapes("gain"));
  CHECK(shapes("scalar") != shapes("vector"));
  CHECK(find_option("model.norm_affine")->help.ends_with("rms has no biases, so scalar equals gain"));
}

TEST_CASE("heads that are wider but share keys can have as many numbers, in other shapes") {
  const Config base = load_config("", {"model.width=16", "model.heads=4", "model.bias=false"});
  const Config other = load_config("", {"model.head_width=8", "model.heads=3", "model.key_heads=1"}, base);
  CHECK(transformer_options(base.model, 9, 9).stack.attention(false).inner_width() == 16);
  CHECK_FALSE(differently_shaped(base, other).empty());
}

TEST_CASE("only rotary positions and ALiBi are those of attention") {
  using enum ModelConfig::Positions;
  const std::map<ModelConfig::Positions, RelativePositions> expected{{sinusoidal, RelativePositions::none},
                                                                     {learned, RelativePositions::none},
                                                                     {rotary, RelativePositions::rotary},
                                                                     {alibi, RelativePositions::alibi}};
  for (const auto& [positions, relative] : expected) {
    ModelConfig config;
    config.positions = positions;
    CHECK_EQ(transformer_options(config, 7, 7).stack.relative_positions, relative);
    CHECK_EQ(transformer_options(config, 7, 7).learned_positions, positions == learned);
  }
}

TEST_CASE("a warm start of another shape names the option, before it reads the corpus") {
  TrainerFixture fixture;
  fixture.config.train.max_updates = {1, Period::Unit::updates};
  fixture.train(fixture.config, "base");
  fixture.config.train.warm_start = fixture / "base";
  const auto error = [&](const std::vector<std::string>& sets) {
    Config config = load_config("", sets, fixture.config);
    config.data.train = "none";
    return error_of<Error>([&] { fixture.train(config, "warm"); });
  };
  CHECK(error({"model.width=16", "model.decoder_layers=2"}) ==
        "[model.width] expected 8, as in the run of train.warm_start; got 16. Hint: omit the options of the model, "
        "which are then taken from that run");
  CHECK(error({"model.decoder_layers=2"}).starts_with("[model.decoder_layers] expected 1, as in the run of "));
  CHECK(error({"model.heads=4", "model.head_width=4"}).starts_with("[model.head_width] expected 0, as in the run of "));
  CHECK(error({"model.key_heads=1"}).starts_with("[model.key_heads] expected 0, as in the run of "));
  CHECK(error({"model.key_heads=2"}).starts_with("[none.en]"));  // as many as heads
  CHECK(error({"model.tied=none"}).starts_with("[model.tied] expected all, as in the run of "));
  CHECK(error({"model.heads=4"}).starts_with("[none.en]"));  // the shapes are the same: a note
  CHECK_FALSE(std::filesystem::exists(fixture / "warm"));
}
