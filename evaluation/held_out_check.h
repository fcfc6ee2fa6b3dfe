#pragma once

#include <memory>
#include <string>

#include "train/prepared/prepared_corpus.h"
#include "train/run.h"

namespace glossa {

/// Returns the prepared training pairs of the run in `folder`, or null if the text is too small to be prepared.
/// Prepares them again if the cache has lost them. Their record includes the pairs that data.split holds out, so the
/// text need not be read again.
std::shared_ptr<const PreparedCorpus> prepared_training(Config config, const std::string& folder);

/// Returns the test pairs that data.split holds out from the training text of the run in `folder`. `config` may differ
/// from the run's options of data. A large text is only read, not prepared, because no run trains with these options.
ParallelCorpus read_held_out_test(const Config& config, const std::string& folder);

/// Throws if a run's corpora have changed since training: the pairs that data.split now holds out may then include
/// training pairs.
void check_still_held_out(const LoadedRun& run, const std::string& folder);

/// Warns if the data options of another run, `other`, hold out other pairs than `run`. That run may have been trained
/// on pairs that `run` holds out.
void check_holds_out_the_same(const DataConfig& run, const DataConfig& other, const std::string& folder_of_other);

}  // namespace glossa
