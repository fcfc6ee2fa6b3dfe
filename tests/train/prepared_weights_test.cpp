#include "autograd/prepared_weights.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "autograd/ops.h"
#include "autograd/parameter_file.h"
#include "optim/moving_average.h"
#include "optim/training_file.h"
#include "tests/decoding/search_fixture.h"
#include "tests/support/restore_runtime.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"
#include "train/checkpoint/checkpoint.h"
#include "train/model/model_factory.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

constexpr int vocabulary = 20;

/// A model whose weights change in every way that glossa offers. Two contexts read it: one with prepared weights, one
/// without.
class ChangingModel {
 public:
  explicit ChangingModel(std::uint64_t seed) : random_(seed, "changes") {
    prepared_.set_prepared_weights(&weights_);
    save();
  }

  /// Changes weights, or does something that must leave them as they are. Returns a description.
  std::string change() {
    static const std::vector<std::pair<const char*, void (ChangingModel::*)()>> ways{
        {"step", &ChangingModel::step},
        {"step of one parameter", &ChangingModel::step_of_one},
        {"save", &ChangingModel::save},
        {"load_parameters", &ChangingModel::load},
        {"load_training", &ChangingModel::load_with_moments},
        {"resume", &ChangingModel::resume},
        {"warm start", &ChangingModel::start_warm},
        {"exchange with the average", &ChangingModel::exchange},
        {"write", &ChangingModel::write},
        {"write of a part", &ChangingModel::write_part}};
    const auto& [name, way] = ways[below(std::ssize(ways))];
    (this->*way)();
    return name;
  }

  /// Reads some weights in both contexts. Returns true if the results have the same bits.
  bool reads_alike() {
    const Precision precision = below(2) ? Precision::bf16 : Precision::full;
    const std::uint64_t seed = random_.bits();
    const auto results = [&](Context<float>& context) {
      RandomStream choice(seed, "choice");
      return choice.below(3) == 0 ? search(context, precision, choice) : products(context, precision, choice);
    };
    return results(prepared_) == results(plain_);
  }

 private:
  using Bits = std::vector<std::uint32_t>;
  using Parameters = std::vector<Parameter<float>*>;

  std::size_t below(std::ptrdiff_t n) { return random_.below(static_cast<std::uint64_t>(n)); }

  Parameters matrices() const {
    Parameters result;
    for (Parameter<float>* parameter : model_.store.parameters())
      if (parameter->value.shape.rank() == 2) {
        result.push_back(parameter);
        result.insert(result.end(), parameter->parts.begin(), parameter->parts.end());
      }
    return result;
  }

  static void add_bits(Bits& to, const Variable<float>& x) {
    for (const float number : x.value().span()) to.push_back(std::bit_cast<std::uint32_t>(number));
  }

  /// The logits of a greedy search.
  Bits search(Context<float>& context, Precision precision, RandomStream& choice) {
    const StepOptions options{.recording = false, .precision = precision};
    const std::vector<int> source{static_cast<int>(4 + choice.below(8)), 5, 6, 7, specials.eos};
    const RowSpan span{0, std::ssize(source)};
    const RowLayout layout{.rows = span.length, .sequences = {&span, 1}};
    DecoderCache<float> cache;
    context.begin(options);
    model_.transformer.start(cache, model_.transformer.encode(context, source, layout), layout, 1, 8);
    Bits bits;
    int token = specials.bos;
    for (int step = 0; step < 4; ++step) {
      context.begin(options);
      const Variable<float> logits = model_.transformer.step(context, {&token, 1}, cache);
      add_bits(bits, logits);
      token = argmax(logits, -1)[0];
    }
    return bits;
  }

  /// Products with some weights, and with weights that are results themselves.
  Bits products(Context<float>& context, Precision precision, RandomStream& choice) {
    context.begin({.recording = false, .precision = precision});
    const Parameters all = matrices();
    Bits bits;
    for (int i = 0; i < 4; ++i) {
      Parameter<float>& weight = *all[choice.below(all.size())];
      const auto rows = static_cast<Index>(1 + choice.below(5));
      const Variable<float> whole = context.parameter(weight);
      const Variable<float> used = choice.below(4) == 0 ? scale(whole, choice.uniform()) : whole;
      const Variable<float> x = full(context, {rows, weight.value.cols()}, choice.uniform());
      const RowSpan span{0, rows};
      add_bits(bits,
               choice.below(2) ? linear(x, used) : linear_relu(x, used, 0, {.rows = rows, .sequences = {&span, 1}}));
    }
    return bits;
  }

  void step_towards(const std::function<Variable<float>(Context<float>&)>& loss) {
    trained_.begin({});
    model_.store.clear_grads();
    trained_.backward(loss(trained_));
    optimizer_->step(0.05, 1);
    average_.update(optimizer_->steps());
  }

  void step() {
    const std::vector<int> tokens{4, static_cast<int>(4 + below(8)), 6, specials.eos};
    const RowSpan span{0, std::ssize(tokens)};
    const RowLayout layout{.rows = span.length, .sequences = {&span, 1}};
    step_towards([&](Context<float>& context) {
      const auto memory = model_.transformer.encode(context, tokens, layout);
      return model_.transformer.loss(model_.transformer.decode(context, tokens, layout, memory, layout), tokens, -1, 0)
          .sum;
    });
  }

  void step_of_one() {
    const Parameters all = matrices();
    Parameter<float>* chosen = all[below(std::ssize(all))];
    if (!chosen->parts.empty()) chosen = chosen->parts.back();
    step_towards([&](Context<float>& context) { return sum(square(context.parameter(*chosen))); });
  }

  void save() {
    save_training(folder_ / "training.safetensors", model_.store, *optimizer_);
    CheckpointWriter writer;
    add_to_checkpoint(writer, model_.store, *optimizer_, &average_, {}, "host");
    writer.write(folder_ / "a.ckpt");
  }

  void load() { load_parameters(folder_ / "training.safetensors", model_.store); }
  void load_with_moments() { load_training(folder_ / "training.safetensors", model_.store, *optimizer_); }
  void resume() { read_parameters(CheckpointReader(folder_ / "a.ckpt"), model_.store); }

  void start_warm() {
    const CheckpointReader reader(folder_ / "a.ckpt");
    read_mean_parameters({&reader, 1}, model_.store);
  }

  void exchange() { average_.exchange(); }

  void write() {
    const Parameters all = matrices();
    write_to(*all[below(std::ssize(all))]);
  }

  void write_part() {
    Parameters all = matrices();
    std::erase_if(all, [](const auto* parameter) { return parameter->whole == nullptr; });
    write_to(*all[below(std::ssize(all))]);
  }

  void write_to(Parameter<float>& parameter) {
    for (float& number : parameter.value.span()) number += static_cast<float>(random_.uniform() / 4);
    parameter.mark_changed();
  }

  RandomStream random_;
  TemporaryFolder folder_;
  SmallModel<float> model_{vocabulary};
  std::unique_ptr<Optimizer<float>> optimizer_ = make_optimizer(OptimConfig(), model_.store);
  MovingAverage<float> average_{model_.store, 0.5};
  PreparedWeights<float> weights_;
  Context<float> prepared_, plain_, trained_;
};

}  // namespace

TEST_CASE_FIXTURE(OneThread, "prepared weights follow every change of the weights, in float and in bf16") {
  kernels::set_gemm_backend(kernels::GemmBackend::eigen);  // oneDNN's bits depend on whether a factor is transposed
  for (std::uint64_t seed = 0; seed < (sanitized ? 4 : 20); ++seed) {
    ChangingModel model(seed);
    std::string history;
    for (int i = 0; i < 40; ++i) {
      history += model.change() + "; ";
      for (int reads = 0; reads < 3; ++reads) REQUIRE_MESSAGE(model.reads_alike(), seed << ": " << history);
    }
  }
}

TEST_CASE_FIXTURE(OneThread, "only parameters read as such are prepared, and only without recording") {
  SmallModel<float> model(vocabulary);
  Parameter<float>& weight = model.store.at("generator.weight");
  PreparedWeights<float> weights;
  Context<float> context;
  context.begin({.recording = false});
  CHECK_FALSE(context.prepared(context.parameter(weight)));
  context.set_prepared_weights(&weights);
  CHECK(context.prepared(context.parameter(weight)));
  CHECK_FALSE(context.prepared(context.constant(weight.value)));
  CHECK_FALSE(context.prepared(scale(context.parameter(weight), 1)));
  for (const bool trainable : {true, false}) {
    weight.trainable = trainable;
    context.begin({});
    CHECK_FALSE(context.prepared(context.parameter(weight)));
  }
}
