#pragma once

#include "optim/optimizer.h"

namespace glossa {

struct SgdOptions {
  double momentum = 0;    // factor of the earlier momentum in each step, in [0, 1)
  bool nesterov = false;  // Nesterov's momentum, which looks one step ahead; needs momentum above 0
};

/// Stochastic gradient descent with momentum, in PyTorch's form (Sutskever et al. 2013, but with the learning rate
/// outside the momentum): g = gradient + weight_decay p, momentum = mu momentum + g, p -= lr momentum. Nesterov's
/// variant, also in PyTorch's form: p -= lr (g + mu momentum). Throws a misuse error for segments with betas.
template <class T>
class Sgd : public Optimizer<T> {
 public:
  Sgd(const ParameterStore<T>& store, std::span<const Segment> segments, SgdOptions options = {},
      OptimizerShare share = {});

  void step(double lr, double gradient_scale) override;

 private:
  SgdOptions options_;
};

}  // namespace glossa
