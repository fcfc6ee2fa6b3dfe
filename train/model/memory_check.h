#pragma once

#include <optional>
#include <string>

#include "config/config.h"
#include "train/model/memory_need.h"
#include "train/processes/job.h"

namespace glossa {

// Memory needs are checked before anything is allocated. The kernel grants more memory than exists, and later silently
// kills processes that use it. `--force` skips the check (ignore_memory_limits).

/// Returns the bytes that are still available to this process. The job's processes on this host get equal shares.
double memory_left(const Job& job = Job::alone());

/// Throws unless training fits into `left` bytes, by default `memory_left`. The error names the option that costs the
/// most memory. It also names the largest value of the option that fits if no other option changes. Without a `batch`,
/// the memory of a step is not counted. The job's processes divide the optimizer's memory.
void check_training_fits(const Config& config, Index source_vocabulary, Index target_vocabulary,
                         const BatchExtent& batch = {}, const Job& job = Job::alone(), std::optional<double> left = {});

/// Throws an error at `where` unless a model of `bytes` bytes fits into `left` bytes.
void check_model_fits(const std::string& where, double bytes, double left = memory_left());

}  // namespace glossa
