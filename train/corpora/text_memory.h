#pragma once

#include "autograd/available_memory.h"
#include "train/config/config.h"

namespace glossa {

/// Throws unless the texts of data.train and data.valid, learning the vocabulary and encoding fit into `left` bytes.
/// Estimates the need from file sizes.
void check_text_fits(const DataConfig& config, double left = static_cast<double>(available_memory()));

}  // namespace glossa
