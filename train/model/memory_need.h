#pragma once

#include <algorithm>

#include "data/batch.h"
#include "layers/transformer.h"

namespace glossa {

/// Sizes of a batch that decide a step's memory.
struct BatchExtent {
  double sentences = 0;
  double source_rows = 0, target_rows = 0;
  double longest_source = 0, longest_target = 0;
  /// Attention weights that a head keeps for backward, over all sentences: source and target self-attention, target to
  /// source.
  double source_weights = 0, target_weights = 0, cross_weights = 0;
};

BatchExtent extent_of(const Batch& batch);

/// Bytes of a model, or its training, in float, excluding the program, the text and validation's decoding.
struct MemoryNeed {
  double parameters = 0;  ///< gradients take as much: both are always allocated
  double initial = 0;     ///< initial values of the largest parameter, in double; gone before training
  double positions = 0;   ///< tables of sinusoids
  double moments = 0, average = 0, step = 0;
  double sums = 0;  ///< of gradients over micro-batches

  /// The tables are made in double.
  double of_model() const { return std::max(2 * positions, 2 * parameters + positions + initial); }
  double of_training() const {
    return std::max(of_model(), 2 * parameters + positions + moments + average + step + sums);
  }
};

/// Estimates the need of a model and of steps over a batch without allocating any of it: parameters are counted, a step
/// is estimated from what each layer keeps for its derivative, within 15 %. `moments`: optimizer buffers, as large as
/// the parameters; `averages`: of a moving average; `sums`: of a TreeSum.
MemoryNeed memory_need(const TransformerOptions& options, const BatchExtent& batch = {}, double moments = 0,
                       int averages = 0, int sums = 0);

}  // namespace glossa
