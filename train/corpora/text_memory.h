#pragma once

#include "autograd/available_memory.h"
#include "train/config/config.h"

namespace glossa {

/// Throws unless the texts of data.train and data.valid, as large as their files are, fit into `left` bytes with what a
/// vocabulary is learnt from and what they become as numbers.
void check_text_fits(const DataConfig& config, double left = static_cast<double>(available_memory()));

}  // namespace glossa
