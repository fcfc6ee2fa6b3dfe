#pragma once

#include <string>

#include "train/config/config.h"
#include "train/model/memory_need.h"

namespace glossa {

// What is going to be needed is compared with what is left before anything of it is allocated: the kernel promises more
// memory than there is, and kills without a word who uses it. `--force` leaves that to it (ignore_memory_limits).

/// Bytes that the process can still get, where those of its job on this host share what is left.
double memory_left();

/// Throws unless training fits into `left` bytes. The error names the option that costs most, and the most that it may
/// be with all others as they are. Without a batch a step counts nothing.
void check_training_fits(const Config& config, Index source_vocabulary, Index target_vocabulary,
                         const BatchExtent& batch = {}, double left = memory_left());

/// Throws unless `bytes` are left for the model of `where`.
void check_model_fits(const std::string& where, double bytes, double left = memory_left());

}  // namespace glossa
