#include "autograd/quantized.h"

#include "autograd/check.h"
#include "autograd/kernels/int8/quantize.h"
#include "autograd/parallel.h"

namespace glossa {

QuantizedMatrices::QuantizedMatrices(ParameterStore<float>& store) {
  for (Parameter<float>* parameter : store.parameters()) add(store, *parameter);
}

std::vector<Parameter<float>*> pieces_of(Parameter<float>& matrix) {
  return matrix.parts.empty() ? std::vector{&matrix} : matrix.parts;
}

void QuantizedMatrices::add(ParameterStore<float>& store, Parameter<float>& parameter) {
  if (!parameter.is_matrix) return;
  for (Parameter<float>* piece : pieces_of(parameter)) quantize(*piece);
  store.drop_value(parameter);
}

void QuantizedMatrices::quantize(Parameter<float>& matrix) {
  using namespace kernels::int8;
  const Index outputs = matrix.value.rows(), inputs = matrix.value.cols();
  const std::span<std::uint32_t> panels = memory_.array<std::uint32_t>(panel_units(outputs, inputs));
  const std::span<float> scales = memory_.array<float>(outputs);
  const std::span<std::int32_t> sums = memory_.array<std::int32_t>(outputs);
  parallel_for(kernels::panels(outputs), [&](Index panel) {
    pack_panel(matrix.value.data, outputs, inputs, panel, panels.data(), scales.data(), sums.data());
  });
  set(matrix, panels.data(), scales.data(), sums.data());
}

void QuantizedMatrices::take(Parameter<float>& matrix, const std::uint32_t* panels, const float* scales) {
  const Index outputs = matrix.value.rows(), inputs = matrix.value.cols();
  const std::span<std::int32_t> sums = memory_.array<std::int32_t>(outputs);
  parallel_for(kernels::panels(outputs),
               [&](Index panel) { kernels::int8::sum_panel(outputs, inputs, panel, panels, sums.data()); });
  set(matrix, panels, scales, sums.data());
}

void QuantizedMatrices::set(Parameter<float>& matrix, const std::uint32_t* panels, const float* scales,
                            const std::int32_t* sums) {
  const Index inputs = matrix.value.cols();
  check(inputs <= kernels::int8::most_inputs, matrix.name, "expected at most {} columns for int8; got {}",
        kernels::int8::most_inputs, inputs);
  matrix.in_int8 = &weights_.emplace_back(kernels::int8::Weight{matrix.value.rows(), inputs, panels, scales, sums});
}

}  // namespace glossa
