#pragma once

#include "layers/cases/layer_case.h"

namespace glossa {

/// Rows for whole models: the label-smoothed loss of a batch as a function of every parameter.
const std::vector<LayerCase>& model_cases();

}  // namespace glossa
