#pragma once

#include <algorithm>

#include "data/batch.h"
#include "layers/transformer.h"

namespace glossa {

/// What of a batch decides how much memory a step takes.
struct BatchExtent {
  double sentences = 0;
  double source_rows = 0, target_rows = 0;
  double longest_source = 0, longest_target = 0;
  /// Attention weights that a head keeps for the way back, over all sentences: source and target among themselves,
  /// target with source.
  double source_weights = 0, target_weights = 0, cross_weights = 0;
};

BatchExtent extent_of(const Batch& batch);

/// Bytes that a model, or its training, takes in float beside the program, the text and what validation decodes with.
struct MemoryNeed {
  double parameters = 0;  ///< gradients take as much: both have their memory always
  double initial = 0;     ///< the first values of the largest parameter, in double; gone when training begins
  double positions = 0;   ///< tables of sinusoids
  double moments = 0, average = 0, step = 0;
  double sums = 0;  ///< of gradients over micro-batches

  /// The tables are made in double.
  double of_model() const { return std::max(2 * positions, 2 * parameters + positions + initial); }
  double of_training() const {
    return std::max(of_model(), 2 * parameters + positions + moments + average + step + sums);
  }
};

/// The need of a model and of steps over a batch, without anything of the kind being allocated: parameters are counted,
/// a step is estimated from what each layer keeps for its derivative, within 15 %. `moments`: buffers of the
/// optimizer, as large as the parameters; `averages`: of a moving average; `sums`: of a TreeSum.
MemoryNeed memory_need(const TransformerOptions& options, const BatchExtent& batch = {}, double moments = 0,
                       int averages = 0, int sums = 0);

}  // namespace glossa
