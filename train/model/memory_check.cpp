#include "train/model/memory_check.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/available_memory.h"
#include "base/check.h"
#include "base/counted.h"
#include "train/model/model_factory.h"

namespace glossa {

namespace {

/// Memory need of training as a function of its configuration, for given vocabularies and a given largest batch.
struct Need {
  Index given_vocabulary, source_vocabulary, target_vocabulary;
  const BatchExtent& batch;
  const Job& job;

  MemoryNeed of(const Config& config) const {
    // Limits vocabularies only if data.vocab_size was lowered, because one from train.warm_start may exceed the option.
    const Index limit = config.data.vocab_size;
    const auto largest = [&](Index vocabulary) {
      return limit < given_vocabulary ? std::min(vocabulary, limit) : vocabulary;
    };
    return memory_need(transformer_options(config.model, largest(source_vocabulary), largest(target_vocabulary)),
                       cut(config.data), moments(config.optim), config.train.ema > 0 ? 1 : 0,
                       sums(config.train.accumulate), config.train.precision);
  }

  /// Optimizer buffers, in multiples of the parameters' size; the job's processes split them.
  double moments(const OptimConfig& optim) const {
    return (optim.name == OptimConfig::Name::sgd ? 1.0 : 2.0) / job.count();
  }

  /// Number of TreeSum's buffers for a process's micro-batches.
  int sums(std::int64_t micro_batches) const {
    const auto own = static_cast<std::uint64_t>((micro_batches + job.count() - 1) / job.count());
    return std::bit_width(own - 1) * (job.is_several() ? 2 : 1);
  }

  /// Returns the batch scaled down to about data.max_tokens, but with at least one sentence.
  BatchExtent cut(const DataConfig& data) const {
    BatchExtent b = batch;
    if (b.sentences == 0) return b;
    const double size = data.batches.rule == BatchRule::sentences ? b.sentences
                        : data.batches.rule == BatchRule::tokens
                            ? b.source_rows + b.target_rows
                            : b.sentences * std::max(b.longest_source, b.longest_target);
    const double left = std::clamp(static_cast<double>(data.batches.max_tokens) / size, 1 / b.sentences, 1.0);
    for (double* part :
         {&b.sentences, &b.source_rows, &b.target_rows, &b.source_weights, &b.target_weights, &b.cross_weights})
      *part *= left;
    return b;
  }
};

/// An option that affects the need. Its values are multiples of `step`.
struct Cost {
  const char* key;
  std::int64_t& (*of)(Config& config);
  std::int64_t step = 1;
};

std::vector<Cost> costs(const ModelConfig& model) {
  const std::int64_t pairs = model.positions == ModelConfig::Positions::sinusoidal ? 2 : 1;
  const std::int64_t head_pairs = model.positions == ModelConfig::Positions::rotary ? 2 : 1;
  return {
      {"model.width", [](Config& c) -> std::int64_t& { return c.model.transformer.stack.width; },
       std::lcm(pairs, model.transformer.stack.head_width == 0 ? head_pairs * model.transformer.stack.heads : 1)},
      {"model.head_width", [](Config& c) -> std::int64_t& { return c.model.transformer.stack.head_width; }, head_pairs},
      {"model.feed_forward", [](Config& c) -> std::int64_t& { return c.model.transformer.stack.feed_forward; }},
      {"model.encoder_layers", [](Config& c) -> std::int64_t& { return c.model.transformer.encoder_layers; }},
      {"model.decoder_layers", [](Config& c) -> std::int64_t& { return c.model.transformer.decoder_layers; }},
      {"model.max_positions", [](Config& c) -> std::int64_t& { return c.model.transformer.max_positions; }},
      {"data.vocab_size", [](Config& c) -> std::int64_t& { return c.data.vocab_size; }},
      {"data.max_tokens", [](Config& c) -> std::int64_t& { return c.data.batches.max_tokens; }}};
}

std::int64_t value_of(const Cost& cost, Config config) { return cost.of(config); }

Config with(Config config, const Cost& cost, std::int64_t value) {
  cost.of(config) = value;
  return config;
}

/// Finds the option that saves the most memory when set to the lesser of its default and half its value.
Cost dearest(const Config& config, const Need& need) {
  std::optional<Cost> found;
  double smallest = 0;
  for (const Cost& cost : costs(config.model)) {
    const std::int64_t value = value_of(cost, config), steps = std::min(value_of(cost, {}), value / 2) / cost.step;
    if (value <= cost.step) continue;
    const double rest = need.of(with(config, cost, std::max<std::int64_t>(1, steps) * cost.step)).of_training();
    if (found && rest >= smallest) continue;
    found = cost;
    smallest = rest;
  }
  return found ? *found : costs(config.model).front();
}

/// Returns the maximum value of an option for which training fits into `left` bytes; 0 if reducing it alone is not
/// enough.
std::int64_t largest_that_fits(const Config& config, const Cost& cost, const Need& need, double left) {
  std::int64_t fits = 0, too_many = value_of(cost, config) / cost.step;
  while (too_many - fits > 1) {
    const std::int64_t middle = std::midpoint(fits, too_many);
    (need.of(with(config, cost, middle * cost.step)).of_training() <= left ? fits : too_many) = middle;
  }
  return fits * cost.step;
}

}  // namespace

double memory_left(const Job& job) { return static_cast<double>(available_memory()) / job.place().on_host; }

void check_training_fits(const Config& config, Index source_vocabulary, Index target_vocabulary,
                         const BatchExtent& batch, const Job& job, std::optional<double> limit) {
  const double left = limit.value_or(memory_left(job));
  const Need need{config.data.vocab_size, source_vocabulary, target_vocabulary, batch, job};
  const MemoryNeed total = need.of(config);
  if (total.of_training() <= left) return;
  const Cost cost = dearest(config, need);
  const std::int64_t largest = largest_that_fits(config, cost, need, left);
  std::string parts;
  for (const auto& [name, bytes] :
       {std::pair("parameters and gradients", 2 * total.parameters), std::pair("optimizer", total.moments),
        std::pair("average", total.average), std::pair("sums of gradients", total.sums),
        std::pair("sinusoids", total.positions), std::pair("a step", total.step)})
    if (bytes > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", name, in_bytes(bytes));
  fail(cost.key,
       "expected {} for the {} of memory left; got {}, with which training needs {}: {}. Hint: this option costs the "
       "most; --force tries anyway",
       largest > 0 ? fmt::format("at most {}", largest) : "less, and less of other options", in_bytes(left),
       value_of(cost, config), in_bytes(total.of_training()), parts);
}

void check_model_fits(const std::string& where, double bytes, double left) {
  check(bytes <= left, where,
        "expected a model of at most {}, the memory left; got one that needs {}. Hint: end other programs; --force "
        "tries anyway",
        in_bytes(left), in_bytes(bytes));
}

}  // namespace glossa
