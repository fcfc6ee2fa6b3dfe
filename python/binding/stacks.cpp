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

template <template <class> class Layer>
struct BoundStack {
  BoundLayer<Layer> layer;
  Index heads;
};

template <template <class> class Layer>
nb::class_<BoundStack<Layer>> stack_class(nb::module_& m, const char* name, const char* layer) {
  using Bound = BoundStack<Layer>;
  nb::class_<Bound> bound(m, name);
  bound.def(
      "__init__",
      [layer](Bound* self, const std::shared_ptr<Store>& store, const std::string& scope, const NamedOptions& given) {
        const StackOptions options = to_stack_options(layer, given);
        const auto make = [&]<class T>(ParameterStore<T>& parameters) { return Layer<T>(parameters, scope, options); };
        new (self) Bound{BoundLayer<Layer>(store, make), options.heads};
      },
      "store"_a, "scope"_a, "options"_a);
  return bound;
}

/// x [N, D] -> [N, D], and with need_weights the weights of each layer.
template <template <class> class Layer>
nb::any encode_rows(const BoundStack<Layer>& stack, const Operand& x, const RowsLike& given, bool need_weights) {
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

/// x [Nt, D], memory [Ns, D] -> [Nt, D], and with need_weights the weights of self-attention and cross-attention.
template <template <class> class Layer>
nb::any decode_rows(const BoundStack<Layer>& stack, const Operand& x, const RowsLike& given, const Operand& memory,
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
  stack_class<EncoderLayer>(m, "BoundEncoderLayer", "EncoderLayer")
      .def("__call__", encode_rows<EncoderLayer>, "x"_a, "rows"_a, "need_weights"_a = false);
  stack_class<Encoder>(m, "BoundEncoder", "Encoder")
      .def("__call__", encode_rows<Encoder>, "x"_a, "rows"_a, "need_weights"_a = false);
  stack_class<DecoderLayer>(m, "BoundDecoderLayer", "DecoderLayer")
      .def("__call__", decode_rows<DecoderLayer>, "x"_a, "rows"_a, "memory"_a, "memory_rows"_a,
           "need_weights"_a = false);
  stack_class<Decoder>(m, "BoundDecoder", "Decoder")
      .def("__call__", decode_rows<Decoder>, "x"_a, "rows"_a, "memory"_a, "memory_rows"_a, "need_weights"_a = false);
}

}  // namespace glossa::python
