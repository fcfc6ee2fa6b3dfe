#pragma once

#include "autograd/cases/check_case.h"

namespace glossa {

/// Second-witness limit: a layer sums the roundings of hundreds of operations.
inline constexpr double layer_second_limit = 10 * second_limit;

template <class T>
using LayerFunction = std::function<Variable<T>(Context<T>&, Inputs<T>)>;

/// One row of the table of gradient checks of layers and models: declares its parameters in a store and returns the
/// function to check, in float or in double.
struct LayerCase {
  std::string name;           // "Residual.pre_padded": class, dot, variant
  std::vector<Shape> inputs;  // filled with numbers uniform in [-2, 2)
  std::function<LayerFunction<double>(ParameterStore<double>&)> in_double;
  std::function<LayerFunction<float>(ParameterStore<float>&)> in_float;
  double floor = 0.1;                            // see GradCheckOptions
  double limit = gradient_limit;                 // of worst_error
  bool whole_model = false;                      // Taylor test instead of the second witness
  std::vector<std::string> without_effect = {};  // parameters cancelled by a later norm: gradient 0 but for epsilon
  double step = 0x1p-12;                         // of the differences: layers are curved more sharply than single ops
  Index max_elements = 0;                        // per tensor, gradients checked; 0: all

  std::string layer() const { return name.substr(0, name.find('.')); }
};

/// A row from one generic callable, build(ParameterStore<T>&) -> LayerFunction<T>.
template <class Build>
LayerCase layer_case(std::string name, std::vector<Shape> inputs, Build build) {
  return {.name = std::move(name), .inputs = std::move(inputs), .in_double = build, .in_float = build};
}

/// Every row for layers, family by family.
const std::vector<LayerCase>& layer_cases();

void add_linear_cases(std::vector<LayerCase>& cases);  // and normalization, feed-forward, residual
void add_embedding_cases(std::vector<LayerCase>& cases);
void add_attention_cases(std::vector<LayerCase>& cases);
void add_stack_cases(std::vector<LayerCase>& cases);

/// Runs all checks of a row: gradient of every element of every input and parameter against differences, in double,
/// dropout on; every parameter is reached; equal values without a tape; gradients accumulate, and are unchanged if
/// inputs or other parameters need none; 1, 2 and 4 threads bit-equal; no heap allocation after warm-up; float with
/// every product backend against double. Changes and restores threads and backend.
CaseReport check_layer(const LayerCase& row);

/// Every layer of the table, in its order.
std::vector<std::string> layer_names();

/// All rows of one layer as one report.
CaseReport check_layers(const std::string& layer);

}  // namespace glossa
