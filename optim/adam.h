#pragma once

#include "optim/optimizer.h"

namespace glossa {

/// Options of Adam, with PyTorch's defaults.
struct AdamOptions {
  double beta1 = 0.9, beta2 = 0.999;  // decay rates of the moments, each in [0, 1)
  double epsilon = 1e-8;              // added to the root, after the bias correction; above 0, finite
  bool decoupled = false;             // true: weight decay outside the gradient (AdamW)
};

/// Adam (Kingma and Ba 2015, algorithm 1) on the scaled gradient g; t counts the steps from 1:
///
///     m = beta1 m + (1 - beta1) g                 v = beta2 v + (1 - beta2) g^2
///     p -= lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
///
/// Weight decay adds weight_decay p, the derivative of a square penalty, to g. If decoupled, it is a separate step
/// (AdamW: Loshchilov and Hutter 2019): p -= lr weight_decay p. A segment may have separate betas.
///
/// All parameters share one t, `steps`, whereas PyTorch counts the steps of each parameter. The difference affects a
/// parameter that was skipped: if its first gradient arrives late, the shared t corrects its moments too little. At the
/// default betas, its first step is then up to (1 - beta1) / sqrt(1 - beta2) = 3.2 times lr; in PyTorch, it is lr.
template <class T>
class Adam : public Optimizer<T> {
 public:
  Adam(const ParameterStore<T>& store, std::span<const Segment> segments, AdamOptions options = {},
       OptimizerShare share = {});

  void step(double lr, double gradient_scale) override;

 private:
  AdamOptions options_;
};

}  // namespace glossa
