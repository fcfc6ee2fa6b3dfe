#pragma once

#include <algorithm>

#include "autograd/precision.h"
#include "data/batch.h"
#include "layers/transformer.h"

namespace glossa {

/// Sizes of a batch that determine a step's memory.
struct BatchExtent {
  double sentences = 0;
  double source_rows = 0, target_rows = 0;
  double longest_source = 0, longest_target = 0;
  /// Number of attention weights that a head keeps for backward, summed over all sentences. The three numbers are for
  /// encoder self-attention, decoder self-attention and cross-attention.
  double source_weights = 0, target_weights = 0, cross_weights = 0;
};

BatchExtent extent_of(const Batch& batch);

/// Bytes needed by a model and by its training. Excludes the program, the text, and decoding for validation.
struct MemoryNeed {
  double parameters = 0;  ///< values of all parameters; the gradients always need as much again
  double initial = 0;     ///< temporary: initial values of the largest parameter, in double
  double positions = 0;   ///< sinusoid tables
  double moments = 0, average = 0, step = 0;
  double sums = 0;  ///< buffers that sum gradients over micro-batches

  /// Memory of a model that only decodes: the parameters, and a copy in the layout that matrix products read. In int8,
  /// only the copy exists. Loading in int8 also needs one matrix at a time in float and, for a mean of checkpoints, in
  /// double.
  double of_decoding(Precision precision) const {
    constexpr double forms[] = {2, 1.5, 0.25};  // size of both per precision, relative to `parameters`
    const double form = forms[static_cast<int>(precision)] * parameters;
    return std::max(2 * positions, positions + form + (precision == Precision::int8 ? 1.5 * initial : 0));
  }

  /// Sinusoid tables are computed in double and briefly need twice their size.
  double of_model() const { return std::max(2 * positions, 2 * parameters + positions + initial); }
  double of_training() const {
    return std::max(of_model(), 2 * parameters + positions + moments + average + step + sums);
  }
};

/// Estimates the memory need of a model and its training steps, without allocating memory. Parameters are counted
/// exactly. The need of a step over `batch`, in this precision, follows from the values that each layer keeps for
/// backward; it is accurate within 15 %. `moments`, `averages` and `sums` are the numbers of parameter-sized buffers
/// for the optimizer, the moving average and TreeSum (optim/tree_sum.h).
MemoryNeed memory_need(const TransformerOptions& options, const BatchExtent& batch = {}, double moments = 0,
                       int averages = 0, int sums = 0, Precision precision = Precision::full);

}  // namespace glossa
