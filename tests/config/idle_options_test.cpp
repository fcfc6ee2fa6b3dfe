// A model option that another option disables is refused or named in a warning, never silently dropped.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/check.h"
#include "config/config.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

Config small_config(std::vector<std::string> sets) {
  sets.insert(sets.begin(), {"data.train=toy:5000", "train.max_updates=10K"});
  return load_config("", sets);
}

std::string refusal_of(const std::vector<std::string>& sets) {
  return error_of<Error>([&] { validate(small_config(sets)); });
}

}  // namespace

TEST_CASE("without an inner width, feed-forward layers have no activation, gated or not") {
  for (const char* activation : {"swiglu", "geglu"})
    CHECK(refusal_of({"model.feed_forward=0", fmt::format("model.activation={}", activation)}) ==
          fmt::format("[model.activation] expected relu, the default, with model.feed_forward: 0, which has no "
                      "activation; got {}. Hint: raise model.feed_forward",
                      activation));
}

TEST_CASE("only rotary positions have a base") {
  CHECK(refusal_of({"model.positions=rotary", "model.rotary_base=500"}).empty());
  CHECK(refusal_of({"model.rotary_base=10000"}).empty());  // the default, as in the config.yaml of other runs
  for (const char* positions : {"sinusoidal", "learned", "alibi"})
    CHECK(refusal_of({fmt::format("model.positions={}", positions), "model.rotary_base=500"}) ==
          "[model.rotary_base] expected 10000, the default, without model.positions: rotary; got 500. Hint: set "
          "model.positions: rotary");
}

TEST_CASE("a warning says that only sinusoidal positions have sinusoids") {
  const auto warnings = [](const std::vector<std::string>& sets) { return option_doubts(small_config(sets)); };
  CHECK(warnings({"model.sinusoid=halves"}).empty());
  for (const char* positions : {"learned", "rotary", "alibi"}) {
    const std::string kind = fmt::format("model.positions={}", positions);
    CHECK(warnings({kind}).empty());
    CHECK(warnings({kind, "model.sinusoid=halves"}) ==
          std::vector<std::string>{"model.sinusoid has no effect without model.positions: sinusoidal"});
    CHECK(refusal_of({kind, "model.sinusoid=halves"}).empty());  // recipes set it; older runs resume
  }
}
