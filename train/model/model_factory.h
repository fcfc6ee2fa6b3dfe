#pragma once

#include <memory>

#include "data/tokenizers/vocabulary.h"
#include "layers/transformer.h"
#include "optim/lr_schedule.h"
#include "optim/moving_average.h"
#include "optim/optimizer.h"
#include "train/config/config.h"

namespace glossa {

/// A Transformer with its parameters.
struct Model {
  ParameterStore<float> parameters;
  std::unique_ptr<Transformer<float>> transformer;
};

/// The configuration in the terms of layers/; unset dropout rates are those of the residual sums.
TransformerOptions transformer_options(const ModelConfig& config, Index source_vocabulary, Index target_vocabulary);

/// A fresh model, initialised from `seed`. Where padding starts the decoder its row is zero and stays as it is.
std::unique_ptr<Model> make_model(const ModelConfig& config, Index source_vocabulary, Index target_vocabulary,
                                  std::uint64_t seed, const SpecialIds& specials = {});

/// Freezes what optim.freeze names and builds the optimizer for the rest, or for a share of it.
std::unique_ptr<Optimizer<float>> make_optimizer(const OptimConfig& config, ParameterStore<float>& parameters,
                                                 OptimizerShare share = {});

/// The moving average of the parameters, from their present values on; null without train.ema.
std::unique_ptr<MovingAverage<float>> make_average(const TrainConfig& config, const ParameterStore<float>& parameters);

/// The learning rate as the configuration says; `width` is noam's, `updates_per_epoch` counts where it says epochs.
Schedule make_schedule(const OptimConfig& config, Index width, std::int64_t updates_per_epoch = 0);

}  // namespace glossa
