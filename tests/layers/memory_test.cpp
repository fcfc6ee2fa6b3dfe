#include <doctest/doctest.h>

#include "layers/encoder.h"
#include "tests/layers/model_fixture.h"

using namespace glossa;
using namespace glossa::test;

TEST_CASE("where nothing is recorded a stack of 64 layers takes no more memory than two") {
  const OneThread one;
  constexpr Index rows = 1024, width = 512;
  const RowSpan all{0, rows};
  const RowLayout layout{.rows = rows, .sequences = {&all, 1}};
  std::vector<float> numbers(rows * width, 0.5f);
  const auto bytes_of = [&](Index layers) {
    ParameterStore<float> store;
    StackOptions options{.layers = layers, .width = width, .heads = 1, .head_width = 8, .feed_forward = 0};
    options.weight_init = init::constant(0);  // quickly there
    const Encoder<float> encoder(store, "encoder", options);
    store.allocate(1);
    Context<float> context;
    context.begin({.recording = false});
    encoder(context.constant({numbers.data(), {rows, width}}), layout);
    return context.arena().peak_bytes();
  };
  const std::size_t two_layers = bytes_of(2);
  CHECK(bytes_of(64) == two_layers);
  CHECK(two_layers <= 20'000'000);
}
