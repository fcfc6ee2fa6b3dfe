#pragma once

#include <cstddef>

#include "base/available_memory.h"
#include "data/corpora/data_config.h"

namespace glossa {

/// Returns the largest text that `left` bytes of memory can hold, with the vocabulary's learning and the encoded text.
/// Limits a text whose size is unknown before it is read: from a pipe, or packed.
std::size_t max_text_bytes(const DataConfig& config, double left = static_cast<double>(available_memory()));

/// Bytes of the texts of data.train, whose names are paths. Estimated for packed ones; 0 for a missing file, which its
/// reader reports, and for a pipe.
double training_bytes(const DataConfig& config);

/// Throws unless `left` bytes suffice to hold the texts of data.train and data.valid, to learn the vocabulary and to
/// encode the texts. Estimates the need from file sizes.
void check_text_fits(const DataConfig& config, double left = static_cast<double>(available_memory()));

}  // namespace glossa
