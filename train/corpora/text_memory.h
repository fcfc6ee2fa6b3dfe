#pragma once

#include <cstddef>

#include "base/available_memory.h"
#include "train/config/config.h"

namespace glossa {

/// Returns the largest text that `left` bytes of memory can hold, with the vocabulary's learning and the encoded text.
/// Limits a text whose size is unknown before it is read: from a pipe, or in a .gz.
std::size_t max_text_bytes(const DataConfig& config, double left = static_cast<double>(available_memory()));

/// Throws unless `left` bytes suffice to hold the texts of data.train and data.valid, to learn the vocabulary and to
/// encode the texts. Estimates the need from file sizes.
void check_text_fits(const DataConfig& config, double left = static_cast<double>(available_memory()));

}  // namespace glossa
