#pragma once

#include <string>

#include "train/config/config.h"

namespace glossa {

/// Returns the key of the first option of the model, in the order of the table, with which `changed` gets parameters of
/// other names or shapes than `base`, so that weights of one do not fit the other. Empty if all fit; model.heads, for
/// example, does not show in a shape if heads have width / heads features. Neither configuration may have undecided
/// options of the model. Nothing is allocated.
std::string differently_shaped(const Config& base, const Config& changed);

}  // namespace glossa
