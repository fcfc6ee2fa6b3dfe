// The ops of a training step one by one, on the shapes of a small translation model: 128 sequences of 16 tokens.
// Built with -DGLOSSA_BENCH=ON (libbenchmark-dev); build/bench_kernels --benchmark_filter=attention

#include <benchmark/benchmark.h>

#include <functional>

#include "autograd/ops.h"

namespace {

using namespace glossa;

constexpr Index sequences = 128, length = 16, rows = sequences * length, width = 128, heads = 4, classes = 8000;

std::vector<RowSpan> equal_spans() {
  std::vector<RowSpan> spans;
  for (Index b = 0; b < sequences; ++b) spans.push_back({b * length, length});
  return spans;
}

const std::vector<RowSpan> spans = equal_spans();
const RowLayout layout{.rows = rows, .sequences = spans};

using Inputs = std::span<const Variable<float>>;
using Op = std::function<Variable<float>(Inputs)>;

/// Times `op` on random inputs of the given shapes, with its derivative if `backward`.
void time_op(benchmark::State& state, const std::vector<Shape>& shapes, const Op& op, bool backward) {
  RandomStream random(1, "bench kernels");
  std::vector<std::vector<float>> numbers;
  for (const Shape& shape : shapes) {
    numbers.emplace_back(shape.size());
    for (float& x : numbers.back()) x = static_cast<float>(random.uniform() - 0.5);
  }
  Context<float> context;
  const auto step = [&] {
    context.begin({.training = true, .recording = backward});
    std::vector<Variable<float>> inputs;
    for (std::size_t i = 0; i < shapes.size(); ++i) inputs.push_back(context.input({numbers[i].data(), shapes[i]}));
    const Variable<float> y = op(inputs);
    if (!backward) return;
    const Tensor<float> cotangent = context.tensor(y.shape());
    std::fill_n(cotangent.data, cotangent.size(), 1.0f);
    context.backward(y, cotangent);
  };
  for (int i = 0; i < 3; ++i) step();  // warm-up
  for (auto _ : state) step();
}

void add(const std::string& name, const std::vector<Shape>& shapes, const Op& op) {
  for (const bool backward : {false, true})
    benchmark::RegisterBenchmark((name + (backward ? "/with_backward" : "/forward")).c_str(),
                                 [=](benchmark::State& state) { time_op(state, shapes, op, backward); })
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
  const AttentionOptions with_dropout{.heads = heads, .dropout = 0.1}, without_dropout{.heads = heads};
  add("self_attention", {{rows, 3 * width}}, [=](Inputs x) { return self_attention(x[0], layout, with_dropout); });
  add("self_attention/no_dropout", {{rows, 3 * width}},
      [=](Inputs x) { return self_attention(x[0], layout, without_dropout); });
  add("cross_attention", {{rows, width}, {rows, 2 * width}},
      [=](Inputs x) { return cross_attention(x[0], x[1], layout, layout, with_dropout); });
  add("layer_norm", {{rows, width}, {width}, {width}}, [](Inputs x) { return layer_norm(x[0], x[1], x[2], 1e-5); });
  add("add_layer_norm", {{rows, width}, {rows, width}, {width}, {width}},
      [](Inputs x) { return add_layer_norm(x[0], x[1], 0.1, layout, x[2], x[3], 1e-5); });
  add("dropout", {{rows, width}}, [](Inputs x) { return dropout(x[0], 0.1, layout); });
  add("linear", {{rows, width}, {2 * width, width}, {2 * width}}, [](Inputs x) { return linear(x[0], x[1], x[2]); });
  add("linear_relu", {{rows, width}, {2 * width, width}, {2 * width}},
      [](Inputs x) { return linear_relu(x[0], x[1], x[2], 0.1, layout); });
  add("gelu", {{rows, width}}, [](Inputs x) { return gelu(x[0]); });
  std::vector<int> targets(rows);
  for (Index i = 0; i < rows; ++i) targets[i] = static_cast<int>(i * 31 % classes);
  add("cross_entropy", {{rows, classes}}, [=](Inputs x) { return cross_entropy(x[0], targets, -1).sum; });
  add("linear_cross_entropy", {{rows, width}, {classes, width}},
      [=](Inputs x) { return linear_cross_entropy(x[0], x[1], targets, -1).sum; });

  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
