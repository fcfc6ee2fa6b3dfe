#pragma once

#include <memory>

#include "autograd/quantized.h"
#include "config/config.h"
#include "data/tokenizers/vocabulary.h"
#include "layers/transformer.h"
#include "optim/moving_average.h"
#include "optim/optimizer.h"

namespace glossa {

/// A Transformer with its parameters.
struct Model {
  ParameterStore<float> parameters;
  std::unique_ptr<Transformer<float>> transformer;
  std::unique_ptr<QuantizedMatrices> quantized = nullptr;  // set if the model can only decode in int8
};

/// Converts a model's configuration to the options of a Transformer. Unset dropout rates take the value of
/// model.dropout.
TransformerOptions transformer_options(const ModelConfig& config, Index source_vocabulary, Index target_vocabulary);

/// Makes a new model, initialized from `seed`. If the decoder starts with padding, the padding embedding stays zero.
std::unique_ptr<Model> make_model(const ModelConfig& config, Index source_vocabulary, Index target_vocabulary,
                                  std::uint64_t seed, const SpecialIds& specials = {});

/// Makes a model whose parameters will be read from a file; until then they are 0. With Precision::int8, matrices are
/// not allocated, and `quantized` is set.
std::unique_ptr<Model> make_blank_model(const ModelConfig& config, Index source_vocabulary, Index target_vocabulary,
                                        const SpecialIds& specials, Precision precision);

/// Freezes the parameters that match optim.freeze. Builds the optimizer for all other parameters, or for this process's
/// `share` of them.
std::unique_ptr<Optimizer<float>> make_optimizer(const OptimConfig& config, ParameterStore<float>& parameters,
                                                 OptimizerShare share = {});

/// Makes a moving average that starts at the parameters' current values. Returns null if train.ema is 0.
std::unique_ptr<MovingAverage<float>> make_average(const TrainConfig& config, const ParameterStore<float>& parameters);

/// Makes the configured learning-rate schedule. Only noam uses `width`. `updates_per_epoch` converts periods given in
/// epochs.
Schedule make_schedule(const OptimConfig& config, Index width, std::int64_t updates_per_epoch = 0);

}  // namespace glossa
