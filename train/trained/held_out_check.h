#pragma once

#include <memory>
#include <string>

#include "train/prepared/prepared_corpus.h"
#include "train/run.h"

namespace glossa {

/// The training pairs of the run in `folder`, if they are large enough to be prepared; else null. Prepares them again
/// if the cache has lost them. The pairs that data.split holds out are there without reading all text.
std::shared_ptr<const PreparedCorpus> prepared_training(Config config, const std::string& folder);

/// Returns the pairs that data.split holds out for tests from the training text of the run in `folder`, with options of
/// data that may differ from the run's. A large text is only read, not prepared: nobody trains with these options.
ParallelCorpus read_held_out_test(const Config& config, const std::string& folder);

/// Throws if a run's corpora have changed since training: the part that data.split holds out now may then include
/// training pairs.
void check_still_held_out(const LoadedRun& run, const std::string& folder);

/// Warns if another run holds out other pairs than `run`, so that it may have been trained on those that `run` holds
/// out.
void check_holds_out_the_same(const DataConfig& run, const DataConfig& other, const std::string& folder_of_other);

}  // namespace glossa
