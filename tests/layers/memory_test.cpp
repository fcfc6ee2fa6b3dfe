#include <doctest/doctest.h>

#include "layers/encoder.h"
#include "tests/layers/model_fixture.h"

using namespace glossa;
using namespace glossa::test;

TEST_CASE("without recording, a stack of 16 layers takes no more memory than two") {
  const OneThread one;
  constexpr Index rows = 1024, width = 512;
  const RowSpan all{0, rows};
  const RowLayout layout{.rows = rows, .sequences = {&all, 1}};
  std::vector<float> numbers(rows * width, 0.5f);
  const auto bytes_of = [&](StackOptions options) {
    ParameterStore<float> store;
    options.weight_init = init::constant(0);  // fast to set
    const Encoder<float> encoder(store, "encoder", options);
    store.allocate(1);
    Context<float> context;
    context.begin({.recording = false});
    encoder(context.constant({numbers.data(), {rows, width}}), layout);
    return context.peak_bytes();
  };
  const auto slim = [](Index layers) {
    return StackOptions{.layers = layers, .width = width, .heads = 1, .head_width = 8, .feed_forward = 0};
  };
  const std::size_t two_layers = bytes_of(slim(2));
  CHECK(bytes_of(slim(16)) == two_layers);
  CHECK(two_layers <= 20'000'000);
  const auto usual = [](Index layers) { return StackOptions{.layers = layers, .width = width, .feed_forward = 2048}; };
  CHECK(bytes_of(usual(3)) == bytes_of(usual(2)));
  CHECK(bytes_of(usual(2)) <= 20'000'000);
}
