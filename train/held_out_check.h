#pragma once

#include <string>

#include "train/run.h"

namespace glossa {

/// Throws if a run's corpora have changed since training: the part that data.split holds out now may then include
/// training pairs.
void check_still_held_out(const LoadedRun& run, const std::string& folder);

/// Warns if another run holds out other pairs than `run`, so that it may have been trained on those that `run` holds
/// out.
void check_holds_out_the_same(const DataConfig& run, const DataConfig& other, const std::string& folder_of_other);

}  // namespace glossa
