#pragma once

#include "autograd/parameter.h"

/// Initial values of parameters.
namespace glossa::init {

Initializer constant(double value);

/// Uniform in [-bound, bound].
Initializer uniform(double bound);

/// Normal with mean 0.
Initializer normal(double std);

/// Square matrices [..., K, K] with `value` on the diagonal and zeros elsewhere.
Initializer diagonal(double value);

/// Uniform in [-b, b], with b = gain * sqrt(6 / (inputs + outputs)) for a weight [outputs, inputs] (Glorot and Bengio
/// 2010). nn.Transformer draws every weight this way and treats a packed projection [3D, D] as one weight.
Initializer xavier_uniform(double gain = 1);

}  // namespace glossa::init
