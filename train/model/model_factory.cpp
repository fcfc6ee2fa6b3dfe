#include "train/model/model_factory.h"

#include <cmath>

namespace glossa {

TransformerOptions transformer_options(const ModelConfig& m, Index source_vocabulary, Index target_vocabulary) {
  TransformerOptions options = m.transformer;
  options.source_vocabulary = source_vocabulary;
  options.target_vocabulary = target_vocabulary;
  using enum ModelConfig::Positions;
  options.learned_positions = m.positions == learned;
  StackOptions& stack = options.stack;
  stack.relative_positions = m.positions == rotary  ? RelativePositions::rotary
                             : m.positions == alibi ? RelativePositions::alibi
                                                    : RelativePositions::none;
  stack.attention_dropout = m.attention_dropout.value_or(stack.residual_dropout);
  stack.activation_dropout = m.activation_dropout.value_or(stack.residual_dropout);
  options.embedding_dropout = m.embedding_dropout.value_or(stack.residual_dropout);
  if (m.init == ModelConfig::Init::normal) stack.weight_init = init::normal(m.init_std);
  return options;
}

namespace {

std::unique_ptr<Model> declare_model(const ModelConfig& config, Index source_vocabulary, Index target_vocabulary,
                                     const SpecialIds& specials) {
  auto model = std::make_unique<Model>();
  TransformerOptions options = transformer_options(config, source_vocabulary, target_vocabulary);
  if (specials.starts_with_padding()) options.start_row = specials.pad;
  model->transformer = std::make_unique<Transformer<float>>(model->parameters, options);
  return model;
}

}  // namespace

std::unique_ptr<Model> make_model(const ModelConfig& config, Index source_vocabulary, Index target_vocabulary,
                                  std::uint64_t seed, const SpecialIds& specials) {
  std::unique_ptr<Model> model = declare_model(config, source_vocabulary, target_vocabulary, specials);
  model->parameters.allocate(seed);
  return model;
}

std::unique_ptr<Model> make_blank_model(const ModelConfig& config, Index source_vocabulary, Index target_vocabulary,
                                        const SpecialIds& specials, Precision precision) {
  std::unique_ptr<Model> model = declare_model(config, source_vocabulary, target_vocabulary, specials);
  if (precision == Precision::int8) {
    model->parameters.allocate_without_matrices();
    model->quantized = std::make_unique<QuantizedMatrices>();
  } else {
    model->parameters.allocate_zeros();
  }
  return model;
}

std::unique_ptr<Optimizer<float>> make_optimizer(const OptimConfig& o, ParameterStore<float>& parameters,
                                                 OptimizerShare share) {
  freeze(parameters, o.freeze);
  const std::vector<Segment> segments = trainable_segments(parameters, o.weight_decay, o.decay_norm_and_bias);
  if (o.name == OptimConfig::Name::sgd) return std::make_unique<Sgd<float>>(parameters, segments, o.sgd, share);
  AdamOptions adam = o.adam;
  adam.decoupled = o.name == OptimConfig::Name::adamw;
  return std::make_unique<Adam<float>>(parameters, segments, adam, share);
}

std::unique_ptr<MovingAverage<float>> make_average(const TrainConfig& config, const ParameterStore<float>& parameters) {
  return config.ema > 0 ? std::make_unique<MovingAverage<float>>(parameters, config.ema) : nullptr;
}

Schedule make_schedule(const OptimConfig& o, Index width, std::int64_t updates_per_epoch) {
  const auto updates = [&](const Period& period) {
    const double factor = period.unit == Period::Unit::epochs ? static_cast<double>(updates_per_epoch) : 1;
    return static_cast<std::int64_t>(std::ceil(period.amount * factor));
  };
  ScheduleOptions schedule = o.schedule;
  schedule.warmup = updates(o.warmup);
  schedule.total_updates = updates(o.total_updates);
  schedule.width = width;
  return Schedule(schedule);
}

}  // namespace glossa
