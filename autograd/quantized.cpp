#include "autograd/quantized.h"

#include "autograd/check.h"
#include "autograd/kernels/int8/quantize.h"
#include "autograd/parallel.h"

namespace glossa {

QuantizedMatrices::QuantizedMatrices(ParameterStore<float>& store) {
  for (Parameter<float>* parameter : store.parameters()) add(store, *parameter);
}

void QuantizedMatrices::add(ParameterStore<float>& store, Parameter<float>& parameter) {
  if (!parameter.is_matrix) return;
  for (Parameter<float>* part : parameter.parts) quantize(*part);
  if (parameter.parts.empty()) quantize(parameter);
  store.drop_value(parameter);
}

void QuantizedMatrices::quantize(Parameter<float>& matrix) {
  using namespace kernels::int8;
  const Index outputs = matrix.value.rows(), inputs = matrix.value.cols();
  check(inputs <= most_inputs, matrix.name, "expected at most {} columns for int8; got {}", most_inputs, inputs);
  const std::span<std::uint32_t> panels = memory_.array<std::uint32_t>(panel_units(outputs, inputs));
  const std::span<float> scales = memory_.array<float>(outputs);
  const std::span<std::int32_t> sums = memory_.array<std::int32_t>(outputs);
  parallel_for(kernels::panels(outputs), [&](Index panel) {
    pack_panel(matrix.value.data, outputs, inputs, panel, panels.data(), scales.data(), sums.data());
  });
  matrix.in_int8 = &weights_.emplace_back(Weight{outputs, inputs, panels.data(), scales.data(), sums.data()});
}

}  // namespace glossa
