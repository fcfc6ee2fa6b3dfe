#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/run.h"

namespace glossa {

/// Returns the runs that the command line names, each with the checkpoint that `choice` selects. The first run's
/// options of decoding apply to all.
std::vector<RunName> run_names(std::span<const std::string> named, const std::string& choice);

/// Loads one run, or several as an ensemble (see Ensemble). `config` is that of the first run; the others decode with
/// its options. Throws as load_run does. Also throws if the runs differ in their vocabularies or in options of their
/// source text.
LoadedRun load_ensemble(std::span<const RunName> names, Config config, const Job& job = Job::alone());

}  // namespace glossa
