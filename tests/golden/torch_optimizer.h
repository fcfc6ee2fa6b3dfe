#pragma once

#include <memory>
#include <string>

#include "optim/adam.h"
#include "optim/sgd.h"

namespace glossa::testing {

/// The learning rate of the optimizer "adam", "adamw" or "sgd" in pytorch.py.
inline double torch_lr(const std::string& kind) { return kind == "sgd" ? 3e-2 : 3e-3; }

/// The optimizer of that kind, with weight decay for all parameters, as in PyTorch.
template <class T>
std::unique_ptr<Optimizer<T>> torch_optimizer(const std::string& kind, const ParameterStore<T>& store, double decay) {
  const std::vector<Segment> segments = trainable_segments(store, decay, true);
  if (kind == "sgd") return std::make_unique<Sgd<T>>(store, segments, SgdOptions{.momentum = 0.9});
  return std::make_unique<Adam<T>>(
      store, segments, AdamOptions{.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-8, .decoupled = kind == "adamw"});
}

}  // namespace glossa::testing
