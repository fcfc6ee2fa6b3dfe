#pragma once

#include <string>

#include "train/config/config.h"

namespace glossa {

/// Returns the key of the first option of the model for which `changed` has parameters of other shapes than `base`, so
/// that weights of one do not fit the other. Empty if none has, as for model.heads with heads of width / heads, whose
/// number does not show in a shape. Neither configuration may have undecided options of the model. Nothing is
/// allocated.
std::string differently_shaped(const Config& base, const Config& changed);

}  // namespace glossa
