#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "layers/decoder.h"
#include "layers/encoder.h"
#include "python/binding/attend.h"
#include "python/binding/bindings.h"
#include "python/binding/layer.h"
#include "python/binding/layer_options.h"

namespace glossa::python {

using nb::literals::operator""_a;

template <class T>
nb::list to_arrays(const std::vector<std::vector<T>>& layers, const Rows& query, const Rows& key, Index heads) {
  nb::list arrays;
  for (const std::vector<T>& weights : layers)
    arrays.append(to_arrays(Tensor<const T>(weights.data(), {std::ssize(weights)}), query, key, heads));
  return arrays;
}
template nb::list to_arrays(const std::vector<std::vector<float>>&, const Rows&, const Rows&, Index);
template nb::list to_arrays(const std::vector<std::vector<double>>&, const Rows&, const Rows&, Index);

namespace {

/// Computes x [N, D] -> [N, D]; with need_weights, also the weights of each layer.
template <template <class> class Layer>
nb::any encode_rows(const BoundHeads<Layer>& stack, const Operand& x, const RowsLike& given, bool need_weights) {
  const Rows rows = to_rows("Encoder", given);
  return stack.layer.in_step("Encoder", [&]<class T>(const Layer<T>& layer, const std::shared_ptr<Step>& step) {
    const Variable<T> input = as_variable<T>("Encoder", *step, x);
    LayerWeights<T> weights;
    const auto compute = [&] {
      const ComputingInStep computing(*step, StoreUse::Kind::read_values);
      return layer(input, rows.layout_in(step->context<T>()), need_weights ? &weights : nullptr);
    };
    const Value result(step, compute());
    if (!need_weights) return as_any(nb::cast(result));
    return as_any(nb::make_tuple(result, to_arrays(weights, rows, rows, stack.heads)));
  });
}

/// Computes x [Nt, D], memory [Ns, D] -> [Nt, D]. With need_weights, also the weights of both attentions per layer.
template <template <class> class Layer>
nb::any decode_rows(const BoundHeads<Layer>& stack, const Operand& x, const RowsLike& given, const Operand& memory,
                    const RowsLike& given_memory, bool need_weights) {
  const Rows rows = to_rows("Decoder", given), memory_rows = to_rows("Decoder", given_memory);
  return stack.layer.in_step("Decoder", [&]<class T>(const Layer<T>& layer, const std::shared_ptr<Step>& step) {
    const Variable<T> input = as_variable<T>("Decoder", *step, x), encoded = as_variable<T>("Decoder", *step, memory);
    AttentionWeights<T> weights;
    const auto compute = [&] {
      const ComputingInStep computing(*step, StoreUse::Kind::read_values);
      Context<T>& context = step->context<T>();
      return layer(input, rows.layout_in(context), encoded, memory_rows.layout_in(context),
                   need_weights ? &weights : nullptr);
    };
    const Value result(step, compute());
    if (!need_weights) return as_any(nb::cast(result));
    return as_any(nb::make_tuple(result, to_arrays(weights.decoder, rows, rows, stack.heads),
                                 to_arrays(weights.cross, rows, memory_rows, stack.heads)));
  });
}

}  // namespace

void add_stacks(nb::module_& m) {
  class_of_heads<EncoderLayer>(m, "BoundEncoderLayer", "EncoderLayer", to_stack_options)
      .def("__call__", encode_rows<EncoderLayer>, "x"_a, "rows"_a, "need_weights"_a = false);
  class_of_heads<Encoder>(m, "BoundEncoder", "Encoder", to_stack_options)
      .def("__call__", encode_rows<Encoder>, "x"_a, "rows"_a, "need_weights"_a = false);
  class_of_heads<DecoderLayer>(m, "BoundDecoderLayer", "DecoderLayer", to_stack_options)
      .def("__call__", decode_rows<DecoderLayer>, "x"_a, "rows"_a, "memory"_a, "memory_rows"_a,
           "need_weights"_a = false);
  class_of_heads<Decoder>(m, "BoundDecoder", "Decoder", to_stack_options)
      .def("__call__", decode_rows<Decoder>, "x"_a, "rows"_a, "memory"_a, "memory_rows"_a, "need_weights"_a = false);
}

}  // namespace glossa::python
