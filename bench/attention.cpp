#include <cstdio>

#include "autograd/ops.h"
#include "base/counted.h"
#include "base/json_line.h"
#include "base/parallel.h"
#include "bench/benchmark.h"
#include "bench/commands.h"
#include "train/runtime.h"

namespace glossa::bench {

namespace {

struct AttentionArguments {
  std::int64_t length = 1024, threads = 0, steps = 15;
  bool causal = false, json = false;
  double dropout = 0;
};

/// Self-attention with the base model's width over a random sequence: forward, and backward from a random cotangent.
class AttentionBenchmark {
 public:
  AttentionBenchmark(Index length, bool causal, double dropout)
      : options_{.heads = 8, .causal = causal, .dropout = dropout},
        sequence_{0, length},
        qkv_(static_cast<std::size_t>(3 * width * length)),
        cotangent_(static_cast<std::size_t>(width * length)) {
    RandomStream random(0, "bench");
    for (std::vector<float>* numbers : {&qkv_, &cotangent_})
      for (float& x : *numbers) x = static_cast<float>(random.normal());
  }

  void forward() {
    const Index length = sequence_.length;
    context_.begin({.training = true, .update = ++update_});
    const Variable<float> qkv = context_.input(Tensor<float>{qkv_.data(), {length, 3 * width}});
    y_ = self_attention(qkv, {.rows = length, .sequences = {&sequence_, 1}}, options_);
  }

  void backward() { context_.backward(y_, Tensor<float>{cotangent_.data(), y_.shape()}); }

  /// Returns all memory: the operands and the context's peak of values, gradients and scratch.
  double peak_mb() const {
    const std::size_t operands = (qkv_.size() + cotangent_.size()) * sizeof(float);
    return static_cast<double>(operands + context_.peak_bytes()) / 1e6;
  }

 private:
  static constexpr Index width = 512;

  AttentionOptions options_;
  RowSpan sequence_;
  std::vector<float> qkv_, cotangent_;
  Context<float> context_;
  Variable<float> y_;
  std::uint64_t update_ = 0;
};

int run(const AttentionArguments& arguments) {
  apply_runtime({.threads = arguments.threads});
  AttentionBenchmark benchmark(arguments.length, arguments.causal, arguments.dropout);
  for (int i = 0; i < 2; ++i) {  // warm-up
    benchmark.forward();
    benchmark.backward();
  }
  std::vector<double> forward_ms(static_cast<std::size_t>(arguments.steps)), backward_ms(forward_ms);
  for (std::size_t i = 0; i < forward_ms.size(); ++i) {
    measure(std::span(forward_ms).subspan(i, 1), [&] { benchmark.forward(); });
    measure(std::span(backward_ms).subspan(i, 1), [&] { benchmark.backward(); });
  }
  std::ranges::sort(forward_ms);
  std::ranges::sort(backward_ms);
  if (arguments.json) {
    JsonLine json;
    json.add("length", arguments.length).add("causal", arguments.causal).add("dropout", arguments.dropout);
    json.add("threads", threads()).add("steps", arguments.steps);
    json.add("ms_forward", median(forward_ms)).add("ms_backward", median(backward_ms));
    json.add("peak_mb", benchmark.peak_mb());
    std::puts(json.text().c_str());
    return 0;
  }
  fmt::print("{}{}, {}: forward {:.2f} ms, backward {:.2f} ms (medians of {}), memory {:.1f} MB\n",
             counted(arguments.length, "token"), arguments.causal ? ", causal" : "", counted(threads(), "thread"),
             median(forward_ms), median(backward_ms), forward_ms.size(), benchmark.peak_mb());
  return 0;
}

}  // namespace

void add_attention(CommandTable& table) {
  const auto [command, arguments] = table.add<AttentionArguments>(
      {.name = "attention", .help = "Time self-attention over one long sequence: 8 heads, width 512"}, run);
  commands::add_number(command, "--length", arguments.length, 1, 65536, "number of tokens");
  command.add_flag("--causal", arguments.causal, "a token attends only to itself and to those before it");
  commands::add_number(command, "--dropout", arguments.dropout, 0, 1, "dropout rate of the attention weights");
  commands::add_number(command, "--steps", arguments.steps, 1, 1000000, "timed steps");
  commands::add_threads(command, arguments.threads);
  command.add_flag("--json", arguments.json, "one JSON object");
}

}  // namespace glossa::bench
