#pragma once

#include "autograd/available_memory.h"
#include "train/config/config.h"

namespace glossa {

/// Throws unless `left` bytes suffice to hold the texts of data.train and data.valid, to learn the vocabulary and to
/// encode the texts. Estimates the need from file sizes.
void check_text_fits(const DataConfig& config, double left = static_cast<double>(available_memory()));

}  // namespace glossa
