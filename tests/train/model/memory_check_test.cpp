#include "train/model/memory_check.h"

#include <doctest/doctest.h>

#include <cmath>
#include <regex>

#include "base/check.h"

using namespace glossa;

namespace {

constexpr double gib = 1 << 30;

using Strings = std::vector<std::string>;

/// Batches of sentences of 40 tokens; 100 of them are 4,000 tokens, the default data.max_tokens.
BatchExtent batch_of(double sentences) {
  return {.sentences = sentences,
          .source_rows = 40 * sentences,
          .target_rows = 40 * sentences,
          .longest_source = 40,
          .longest_target = 40,
          .source_weights = 1920 * sentences,
          .target_weights = 1920 * sentences,
          .cross_weights = 1920 * sentences};
}

/// The error for a run with these options, full vocabularies and batches.
std::string error_for(const Strings& sets, double left) {
  const Config config = load_config("", sets);
  const BatchExtent batch = batch_of(std::floor(static_cast<double>(config.data.batches.max_tokens) / 40));
  try {
    check_training_fits(config, config.data.vocab_size, config.data.vocab_size, batch, Job::alone(), left);
  } catch (const Error& error) {
    CHECK_EQ(error.exit_status(), 1);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the option that costs most is named, with its maximum") {
  struct Case {
    std::string key;
    std::int64_t value;
    Strings others = {};
    std::int64_t step = 1;
  };
  const std::vector<Case> cases{{"model.width", 20'000, {}, 4},
                                {"model.width", 19'998, {"model.heads=9"}, 18},
                                {"model.width", 9'999, {"model.head_width=7", "model.positions=learned"}},
                                {"model.width", 20'000, {"model.positions=rotary", "model.heads=10"}, 20},
                                {"model.head_width", 20'000, {"model.heads=16", "model.positions=rotary"}, 2},
                                {"model.feed_forward", 1'000'000, {"model.width=1024"}},
                                {"model.head_width", 20'000, {"model.heads=16"}},
                                {"model.encoder_layers", 256, {"model.width=1024", "model.feed_forward=4096"}},
                                {"model.decoder_layers", 256, {"model.width=1024", "model.feed_forward=4096"}},
                                {"model.max_positions", 1'000'000, {"model.width=1024"}},
                                {"data.vocab_size", 1'000'000, {"model.width=1024"}},
                                {"data.max_tokens", 16'000'000},
                                {"data.max_tokens", 16'000'000, {"data.batch_rule=tokens"}}};
  for (const Case& c : cases) {
    const auto sets_with = [&](std::int64_t value) {
      Strings sets = c.others;
      sets.push_back(fmt::format("{}={}", c.key, value));
      return sets;
    };
    const std::string error = error_for(sets_with(c.value), 8 * gib);
    CAPTURE(error);
    CHECK(error.starts_with(fmt::format("[{}] expected at most ", c.key)));
    CHECK_NE(error.find(fmt::format("8.0 GiB of memory left; got {}, ", c.value)), error.npos);
    CHECK_NE(error.find("--force"), error.npos);
    std::smatch match;
    REQUIRE(std::regex_search(error, match, std::regex("at most ([0-9]+) ")));
    const std::int64_t value = std::stol(match[1]);
    CHECK_EQ(value % c.step, 0);
    CHECK_EQ(error_for(sets_with(value), 8 * gib), "");
    if (c.key != "data.max_tokens") CHECK_NE(error_for(sets_with(value + c.step), 8 * gib), "");
    if (c.key == "data.max_tokens") CHECK_NE(error_for(sets_with(value + 4000), 8 * gib), "");  // whole sentences
  }
}

TEST_CASE("if no option alone is too large, the costliest or several must be reduced") {
  CHECK_EQ(error_for({}, gib), "");
  CHECK(error_for({}, gib / 4).starts_with("[data.max_tokens] expected at most "));
  const std::string two = error_for({"model.width=32768", "data.vocab_size=1000000"}, gib / 100);
  CHECK_NE(two.find("expected less, and less of other options for the 10.2 MiB of memory left"), two.npos);
}

TEST_CASE("training needs memory for model, moments, moving average and step") {
  struct Needed {
    double all, parameters, step;
  };
  const auto needed = [](const Strings& more) {
    Strings sets{"model.width=4096", "model.feed_forward=16384"};
    sets.insert(sets.end(), more.begin(), more.end());
    const std::string error = error_for(sets, gib);
    std::smatch need;
    const std::regex parts("needs ([0-9.]+) GiB: parameters and gradients ([0-9.]+) GiB.*a step ([0-9.]+) GiB");
    REQUIRE(std::regex_search(error, need, parts));
    return Needed{std::stod(need[1]), std::stod(need[2]) / 2, std::stod(need[3])};
  };
  const Needed adam = needed({}), in_bf16 = needed({"train.precision=bf16"});
  CHECK_EQ(needed({"optim.name=sgd"}).all, doctest::Approx(adam.all - adam.parameters).epsilon(0.01));
  CHECK_EQ(needed({"train.ema=0.9"}).all, doctest::Approx(adam.all + adam.parameters).epsilon(0.01));
  CHECK_LT(in_bf16.step, 0.8 * adam.step);
  CHECK_EQ(in_bf16.all - in_bf16.step, doctest::Approx(adam.all - adam.step).epsilon(0.01));
}

TEST_CASE("a model that fits is loaded, a larger one is refused") {
  CHECK_NOTHROW(check_model_fits("run", 3 * gib, 3 * gib));
  CHECK_THROWS_WITH_AS(
      check_model_fits("run", 3.5 * gib, 3 * gib),
      doctest::Contains("[run] expected a model of at most 3.0 GiB, the memory left; got one that needs 3.5 GiB"),
      Error);
}
