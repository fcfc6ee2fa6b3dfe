#pragma once

#include "autograd/available_memory.h"
#include "train/config/config.h"

namespace glossa {

/// Throws unless the texts of data.train and data.valid, judged by file size, fit into `left` bytes along with
/// vocabulary training and their encoding.
void check_text_fits(const DataConfig& config, double left = static_cast<double>(available_memory()));

}  // namespace glossa
