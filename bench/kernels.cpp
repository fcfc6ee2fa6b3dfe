// Times the ops of a training step one by one, on the shapes of a small translation model (128 sequences of 16 tokens).
// Also times ops that only move numbers, in the L2 cache and in main memory, and a plain copy. These report the bytes
// per second that they read and wrote. `ninja -C build bench_kernels` builds it (libbenchmark-dev). build/bench_kernels
// --benchmark_filter=attention runs only some.

#include <benchmark/benchmark.h>

#include <array>
#include <functional>
#include <memory>

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

enum class Part { forward, with_backward };

/// Times `op` on random inputs of the given shapes, including its derivative if `part` requires it.
void time_op(benchmark::State& state, const std::vector<Shape>& shapes, const Op& op, Part part) {
  RandomStream random(1, "bench kernels");
  std::vector<std::vector<float>> numbers;
  for (const Shape& shape : shapes) {
    numbers.emplace_back(shape.size());
    for (float& x : numbers.back()) x = static_cast<float>(random.uniform() - 0.5);
  }
  std::vector<float> ones;
  Context<float> context;
  const auto step = [&] {
    context.begin({.training = true, .recording = part == Part::with_backward});
    std::vector<Variable<float>> inputs;
    for (std::size_t i = 0; i < shapes.size(); ++i) inputs.push_back(context.input({numbers[i].data(), shapes[i]}));
    const Variable<float> y = op(inputs);
    if (part == Part::forward) return;
    ones.resize(y.size(), 1.0f);
    context.backward(y, {ones.data(), y.shape()});
  };
  for (int i = 0; i < 3; ++i) step();  // warm-up
  for (auto _ : state) step();
}

void add_benchmark(const std::string& name, const std::function<void(benchmark::State&)>& run) {
  benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMicrosecond)->UseRealTime();
}

void add(const std::string& name, const std::vector<Shape>& shapes, const Op& op) {
  for (const Part part : {Part::forward, Part::with_backward})
    add_benchmark(name + (part == Part::forward ? "/forward" : "/with_backward"),
                  [=](benchmark::State& state) { time_op(state, shapes, op, part); });
}

/// Times run(to, from), which reads `from` [n, n], may write `to` [n, n], and moves `bytes`.
void time_mover(benchmark::State& state, Index n, double bytes, const auto& run) {
  Context<float> memory;
  const Tensor<float> from = memory.tensor({n, n}), to = memory.tensor({n, n});
  kernels::map(from, [](Index i) { return static_cast<float>(i * 31 % 1009); });
  const auto step = [&] { run(to, from); };
  for (int i = 0; i < 3; ++i) step();  // warm-up
  for (auto _ : state) step();
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes * static_cast<double>(state.iterations())));
}

void add_mover(const std::string& name, Index n, double bytes,
               const std::function<void(const Tensor<float>& to, const Tensor<float>& from)>& run) {
  add_benchmark(fmt::format("{}/{}", name, n), [=](benchmark::State& state) { time_mover(state, n, bytes, run); });
}

/// Adds a mover that computes an op without its derivative.
void add_moving_op(const std::string& name, Index n, double bytes, const Op& op) {
  add_benchmark(fmt::format("{}/{}", name, n), [=](benchmark::State& state) {
    Context<float> context;
    time_mover(state, n, bytes, [&](const Tensor<float>&, const Tensor<float>& from) {
      context.begin({.recording = false});
      op(std::array{context.constant(from)});
    });
  });
}

void add_movers(Index n) {
  const Shape cube{n / 16, 16, n / 16, 16};
  const double read = static_cast<double>(n * n) * sizeof(float), copied = 2 * read;
  add_mover("copy", n, copied, [](auto& to, auto& from) { kernels::map(to, [&](Index i) { return from[i]; }); });
  add_mover("reduce/last_axis", n, read, [n](auto& to, auto& from) {
    kernels::reduce<float>({to.data, {n, 1}}, from, false);
  });
  add_mover("reduce/last_axis_of_16", n, read, [n](auto& to, auto& from) {
    kernels::reduce<float>({to.data, {n * n / 16, 1}}, {from.data, {n * n / 16, 16}}, false);
  });
  add_mover("reduce/first_axis", n, read, [n](auto& to, auto& from) {
    kernels::reduce<float>({to.data, {n}}, from, false);
  });
  add_mover("reduce/all", n, read, [](auto& to, auto& from) { kernels::reduce<float>({to.data, {}}, from, false); });
  add_moving_op("transpose", n, copied, [](Inputs x) { return transpose(x[0], 0, 1); });
  add_moving_op("permute/heads_first", n, copied, [=](Inputs x) { return permute(reshape(x[0], cube), {0, 2, 1, 3}); });
  add_moving_op("permute/reversed", n, copied, [=](Inputs x) { return permute(reshape(x[0], cube), {3, 2, 1, 0}); });
  add_moving_op("max/all", n, read, [](Inputs x) { return max(x[0]); });
  add_moving_op("max/last_axis", n, read, [](Inputs x) { return max(x[0], 1); });
  add_moving_op("max/first_axis", n, read, [](Inputs x) { return max(x[0], 0); });
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
  add("rms_norm", {{rows, width}, {width}}, [](Inputs x) { return rms_norm(x[0], x[1], 1e-5); });
  add("add_rms_norm", {{rows, width}, {rows, width}, {width}},
      [](Inputs x) { return add_rms_norm(x[0], x[1], 0.1, layout, x[2], 1e-5); });
  add("dropout", {{rows, width}}, [](Inputs x) { return dropout(x[0], 0.1, layout); });
  add("linear", {{rows, width}, {2 * width, width}, {2 * width}}, [](Inputs x) { return linear(x[0], x[1], x[2]); });
  add("linear_relu", {{rows, width}, {2 * width, width}, {2 * width}},
      [](Inputs x) { return linear_relu(x[0], x[1], x[2], 0.1, layout); });
  add("swiglu", {{rows, 2 * width}}, [](Inputs x) { return swiglu(x[0]); });
  add("geglu", {{rows, 2 * width}}, [](Inputs x) { return geglu(x[0]); });
  add("gelu", {{rows, width}}, [](Inputs x) { return gelu(x[0]); });
  std::vector<int> targets(rows);
  for (Index i = 0; i < rows; ++i) targets[i] = static_cast<int>(i * 31 % classes);
  add("cross_entropy", {{rows, classes}}, [=](Inputs x) { return cross_entropy(x[0], targets, -1).sum; });
  add("linear_cross_entropy", {{rows, width}, {classes, width}},
      [=](Inputs x) { return linear_cross_entropy(x[0], x[1], targets, -1).sum; });

  add("transpose", {{4096, 4096}}, [](Inputs x) { return transpose(x[0], 0, 1); });
  add("mul", {{4096, 4096}, {4096, 4096}}, [](Inputs x) { return mul(x[0], x[1]); });
  add("mul/of_a_column", {{4096, 4096}, {4096, 1}}, [](Inputs x) { return mul(x[0], x[1]); });
  for (const Index n : {256, 4096}) add_movers(n);

  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
