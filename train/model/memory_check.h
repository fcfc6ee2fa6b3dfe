#pragma once

#include <string>

#include "train/config/config.h"
#include "train/model/memory_need.h"

namespace glossa {

// Needs are compared with the available memory before anything is allocated: the kernel promises more memory than
// exists, and silently kills processes that use it. `--force` leaves that to it (ignore_memory_limits).

/// Bytes still available to the process; processes of its job on this host share them.
double memory_left();

/// Throws unless training fits into `left` bytes. The error names the costliest option and its maximum with all others
/// unchanged. Without a batch a step counts nothing.
void check_training_fits(const Config& config, Index source_vocabulary, Index target_vocabulary,
                         const BatchExtent& batch = {}, double left = memory_left());

/// Throws unless `bytes` are left for the model of `where`.
void check_model_fits(const std::string& where, double bytes, double left = memory_left());

}  // namespace glossa
