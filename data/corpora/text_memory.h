#pragma once

#include <cstddef>

#include "base/available_memory.h"
#include "data/corpora/data_config.h"

namespace glossa {

/// Returns the size of the largest text for which `left` bytes of memory suffice, including learning the vocabulary and
/// the encoded text. Texts whose size is unknown before reading, because they are packed or come from a pipe, are read
/// only up to this size.
std::size_t max_text_bytes(const DataConfig& config, double left = static_cast<double>(available_memory()));

/// Size in bytes of the texts of data.train, which must name paths. Estimated for packed texts. 0 for a pipe or a
/// missing file; the reader of a missing file reports the error.
double training_bytes(const DataConfig& config);

/// Throws unless `left` bytes of memory suffice to hold the texts of data.train and data.valid, to learn the vocabulary
/// and to encode the texts. Estimates the need from file sizes.
void check_text_fits(const DataConfig& config, double left = static_cast<double>(available_memory()));

}  // namespace glossa
