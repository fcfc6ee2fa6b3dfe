#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/run.h"

namespace glossa {

/// The runs that the command line names, each with the checkpoint that `choice` selects. The first is the one whose
/// options of decoding apply.
std::vector<RunName> run_names(std::span<const std::string> named, const std::string& choice);

/// Loads one run, or several as an ensemble: `config` is that of the first, and the others decode with its options. See
/// Ensemble. Throws as load_run does, and if the runs differ in their vocabularies or in options of their source text.
LoadedRun load_ensemble(std::span<const RunName> names, Config config, const Job& job = Job::alone());

}  // namespace glossa
