#pragma once

#include "autograd/cases/check_case.h"

namespace glossa {

/// As excess_limit, but for layers. It is larger than for ops, because the rounding errors of hundreds of operations
/// add up.
inline constexpr double layer_excess_limit = 10 * excess_limit;

/// Limit of a layer's error in bf16, as a multiple of its error in float, if the layer amplifies rounding errors. A
/// float has 16 more bits, so about 0x1p16 is expected. Errors in float may cancel by chance, which raises the multiple
/// and depends on compiler and processor. The largest multiple seen is 3.2 * 0x1p16.
inline constexpr double bf16_over_float = 6 * 0x1p16;

/// One row in the table of gradient checks for layers and models.
struct LayerCase : SampleCase {
  bool whole_model = false;                      // true: also runs a Taylor test
  std::vector<std::string> without_effect = {};  // parameters with gradients near 0: a later norm cancels them
};

/// Makes a row from one generic callable, build(ParameterStore<T>&) -> CaseFunction<T>.
template <class Build>
LayerCase layer_case(std::string name, std::vector<CaseInput> inputs, Build build) {
  return {{.name = std::move(name), .inputs = std::move(inputs), .in_double = build, .in_float = build}};
}

/// A table under construction. `add` makes a row as layer_case does.
struct LayerCases {
  template <class Build>
  void add(std::string name, std::vector<CaseInput> inputs, Build build) {
    rows.push_back(layer_case(std::move(name), std::move(inputs), build));
  }

  /// Adds a row for Layer<T>(store, "layer", given...); call(layer, x) applies the layer to the inputs.
  template <template <class> class Layer, class Call, class... Given>
  void add_layer(std::string name, std::vector<CaseInput> inputs, Call call, Given... given) {
    add(std::move(name), std::move(inputs), [=]<class T>(ParameterStore<T>& store) {
      return [=, layer = Layer<T>(store, "layer", given...)](Context<T>&, Inputs<T> x) { return call(layer, x); };
    });
  }

  std::vector<LayerCase> rows;
};

/// All rows for layers, family by family.
const std::vector<LayerCase>& layer_cases();

/// Rows for whole models: the label-smoothed loss of a batch as a function of every parameter.
const std::vector<LayerCase>& model_cases();

void add_linear_cases(LayerCases& cases);  // including normalization, feed-forward, residual
void add_embedding_cases(LayerCases& cases);
void add_attention_cases(LayerCases& cases);
void add_stack_cases(LayerCases& cases);

/// Runs all checks of a row. Changes and restores the number of threads and the GEMM backend. The checks:
/// - in double and with dropout, the gradient of every element (or of `max_elements`) of every input and parameter
///   equals finite differences
/// - the gradient reaches every input and parameter, except those in `without_effect`
/// - the value has the same bits if computed without a tape
/// - gradients accumulate, and do not depend on which inputs and other parameters need gradients
/// - 1, 2, 4 and 8 threads give the same bits
/// - a step does not allocate heap memory after warm-up
/// - float equals double up to rounding, with every GEMM backend
/// - if the layer computes matrix products: bf16 equals double up to rounding, and gives the same bits with 1,
///   2, 4 and 8 threads and without reuse of memory
CaseReport check_layer(const LayerCase& row);

}  // namespace glossa
