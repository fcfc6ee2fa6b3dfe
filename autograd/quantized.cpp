#include "autograd/quantized.h"

#include <algorithm>

#include "autograd/kernels/int8/quantize.h"
#include "base/check.h"
#include "base/parallel.h"

namespace glossa {

namespace {

void check_inputs(const Parameter<float>& matrix) {
  constexpr Index limit = kernels::int8::max_inputs;
  check(matrix.value.cols() <= limit, matrix.name,
        "expected at most {} columns for int8; got {}. Hint: decode in float or bf16", limit, matrix.value.cols());
}

}  // namespace

QuantizedMatrices::QuantizedMatrices(ParameterStore<float>& store) {
  make_room(store);
  for (Parameter<float>* parameter : store.parameters()) {
    if (!parameter->is_matrix) continue;
    check(parameter->value.data, parameter->name, "expected a model in float; got one that is in int8 already");
    add(*parameter, parameter->value.span());
    store.drop_value(*parameter);
  }
}

std::vector<Parameter<float>*> pieces_of(Parameter<float>& matrix) {
  return matrix.parts.empty() ? std::vector{&matrix} : matrix.parts;
}

void QuantizedMatrices::make_room(const ParameterStore<float>& store) {
  std::size_t bytes = 0;
  for (Parameter<float>* parameter : store.parameters()) {
    if (!parameter->is_matrix) continue;
    for (const Parameter<float>* piece : pieces_of(*parameter)) {
      const Index outputs = piece->value.rows();
      bytes += Arena::size_of<std::uint32_t>(kernels::int8::panel_units(outputs, piece->value.cols())) +
               Arena::size_of<float>(outputs) + Arena::size_of<std::int32_t>(outputs);
    }
  }
  memory_.reserve(bytes);
}

void QuantizedMatrices::add(Parameter<float>& matrix, std::span<const float> values) {
  for (Parameter<float>* piece : pieces_of(matrix)) {
    quantize(*piece, values.data());
    values = values.subspan(static_cast<std::size_t>(piece->value.size()));
  }
}

void QuantizedMatrices::quantize(Parameter<float>& piece, const float* values) {
  using namespace kernels::int8;
  const Index outputs = piece.value.rows(), inputs = piece.value.cols();
  check_inputs(piece);
  const std::span<std::uint32_t> panels = memory_.array<std::uint32_t>(panel_units(outputs, inputs));
  const std::span<float> scales = memory_.array<float>(outputs);
  const std::span<std::int32_t> sums = memory_.array<std::int32_t>(outputs);
  parallel_for(kernels::panels(outputs), [&](Index panel) {
    pack_panel(values, outputs, inputs, panel, panels.data(), scales.data(), sums.data());
  });
  set(piece, panels.data(), scales.data(), sums.data());
}

void QuantizedMatrices::take(Parameter<float>& matrix, const std::uint32_t* panels, const float* scales,
                             const std::string& where) {
  const Index outputs = matrix.value.rows(), inputs = matrix.value.cols();
  check_inputs(matrix);
  const std::span<std::int32_t> sums = memory_.array<std::int32_t>(outputs);
  std::vector<int> pairs(static_cast<std::size_t>(kernels::panels(outputs)));
  parallel_for(kernels::panels(outputs), [&](Index panel) {
    pairs[static_cast<std::size_t>(panel)] = kernels::int8::sum_panel(outputs, inputs, panel, panels, sums.data());
  });
  const int largest = std::ranges::max(pairs);
  check(largest <= kernels::int8::max_pair, where,
        "expected neighboring codes of {} to sum to at most {}; got {}. Hint: quantize the model again; older programs "
        "did not bound these sums",
        matrix.name, kernels::int8::max_pair, largest);
  set(matrix, panels, scales, sums.data());
}

void QuantizedMatrices::set(Parameter<float>& matrix, const std::uint32_t* panels, const float* scales,
                            const std::int32_t* sums) {
  matrix.in_int8 =
      &weights_.emplace_back(kernels::int8::Weight{matrix.value.rows(), matrix.value.cols(), panels, scales, sums});
}

}  // namespace glossa
