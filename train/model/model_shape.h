#pragma once

#include <string>

#include "train/config/config.h"

namespace glossa {

/// Compares two models by the names and shapes of their parameters. If these differ, weights of `base` do not fit
/// `changed`. Returns the key of the first option of the model, in table order, that causes a difference; empty if all
/// weights fit. For example, model.heads changes no shape if heads have width / heads features. Neither configuration
/// may have undecided options of the model. Does not allocate the models.
std::string differently_shaped(const Config& base, const Config& changed);

}  // namespace glossa
