#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "layers/embedding.h"
#include "layers/feed_forward.h"
#include "layers/linear.h"
#include "layers/norm.h"
#include "layers/positional_encoding.h"
#include "python/binding/bindings.h"
#include "python/binding/layer.h"
#include "python/binding/layer_options.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

using StorePointer = std::shared_ptr<Store>;
using BoundLinear = BoundLayer<Linear>;
using BoundNorm = BoundLayer<Norm>;
using BoundFeedForward = BoundLayer<FeedForward>;
using BoundPositionalEncoding = BoundLayer<PositionalEncoding>;

using BoundEmbedding = BoundLayer<Embedding>;

struct PositionOptions {
  Index positions, width;
  bool learned = false;
  Sinusoid order = Sinusoid::interleaved;
};

template <class T>
PositionalEncoding<T> make_encoding(ParameterStore<T>& store, const std::string& scope, const PositionOptions& o) {
  return o.learned ? PositionalEncoding<T>::learned(store, scope, o.positions, o.width)
                   : PositionalEncoding<T>::sinusoidal(o.positions, o.width, o.order);
}

/// Makes the table SCOPE.weight and, if positions are learned, SCOPE.positions.weight.
BoundEmbedding make_embedding(const StorePointer& store, const std::string& scope, Index vocabulary, Index width,
                              const NamedOptions& given) {
  PositionOptions positions{.positions = 1024, .width = width};
  Positions kind = Positions::none;
  double factor = 1, dropout = 0;
  Initializer weight_init = init::normal(1 / std::sqrt(static_cast<double>(width)));
  LayerOptions("Embedding", given)
      .read("factor", factor)
      .read("dropout", dropout)
      .read("positions", kind)
      .read("sinusoid", positions.order)
      .read("max_positions", positions.positions)
      .read("weight_init", weight_init)
      .check_names();
  positions.learned = kind == Positions::learned;
  return BoundEmbedding(store, [&]<class T>(ParameterStore<T>& parameters) {
    Parameter<T>& table = parameters.declare(in_scope(scope, "weight"), {vocabulary, width}, weight_init);
    const typename Embedding<T>::Options options{.factor = factor, .dropout = dropout};
    if (kind == Positions::none) return Embedding<T>(table, options);
    return Embedding<T>(table, make_encoding(parameters, in_scope(scope, "positions"), positions), options);
  });
}

Value embed_ids(const BoundEmbedding& embedding, const IdsLike& given, const Rows& rows) {
  const Ids ids = to_ids("Embedding", given);
  return embedding.in_step("Embedding", [&]<class T>(const Embedding<T>& layer, const std::shared_ptr<Step>& step) {
    Context<T>& context = step->context<T>();
    const ComputingInStep computing(*step, StoreUse::Kind::read_values);
    return Value(step, layer(context, ids.numbers, rows.layout_in(context)));
  });
}

void add_linear(nb::module_& m) {
  nb::class_<BoundLinear>(m, "BoundLinear")
      .def(
          "__init__",
          [](BoundLinear* self, const StorePointer& store, const std::string& scope, Index inputs, Index outputs,
             const NamedOptions& given) {
            const LinearOptions options = to_linear_options(given);
            new (self) BoundLinear(store, [&]<class T>(ParameterStore<T>& parameters) {
              return Linear<T>(parameters, scope, inputs, outputs, options);
            });
          },
          "store"_a, "scope"_a, "inputs"_a, "outputs"_a, "options"_a)
      .def(
          "__call__",
          [](const BoundLinear& linear, const Operand& x) {
            return linear.compute(
                "Linear", [](const auto& layer, const auto& v) { return layer(v); }, x);
          },
          "x"_a);
}

void add_norm(nb::module_& m) {
  nb::class_<BoundNorm>(m, "BoundNorm")
      .def(
          "__init__",
          [](BoundNorm* self, const StorePointer& store, const std::string& scope, Index width,
             const NamedOptions& given, const char* layer) {
            const NormOptions options = to_norm_options(layer, given);
            new (self) BoundNorm(store, [&]<class T>(ParameterStore<T>& parameters) {
              return Norm<T>(parameters, scope, width, options);
            });
          },
          "store"_a, "scope"_a, "width"_a, "options"_a, "layer"_a = "LayerNorm")
      .def(
          "__call__",
          [](const BoundNorm& norm, const Operand& x) {
            return norm.compute(
                "Norm", [](const auto& layer, const auto& v) { return layer(v); }, x);
          },
          "x"_a)
      .def(
          "add",
          [](const BoundNorm& norm, const Operand& x, const Operand& branch, double dropout, const RowsLike& given) {
            const Rows rows = to_rows("Norm", given);
            return norm.compute(
                "Norm.add",
                [&](const auto& layer, const auto& v, const auto& b) {
                  return layer.add(v, b, dropout, rows.layout_in(v.context()));
                },
                x, branch);
          },
          "x"_a, "branch"_a, "dropout"_a, "rows"_a);
}

}  // namespace

void add_simple_layers(nb::module_& m) {
  add_linear(m);
  add_norm(m);
  nb::class_<BoundFeedForward>(m, "BoundFeedForward")
      .def(
          "__init__",
          [](BoundFeedForward* self, const StorePointer& store, const std::string& scope, const NamedOptions& given) {
            const FeedForwardOptions options = to_feed_forward_options(given);
            new (self) BoundFeedForward(store, [&]<class T>(ParameterStore<T>& parameters) {
              return FeedForward<T>(parameters, scope, options);
            });
          },
          "store"_a, "scope"_a, "options"_a)
      .def(
          "__call__",
          [](const BoundFeedForward& feed_forward, const Operand& x, const RowsLike& given) {
            const Rows rows = to_rows("FeedForward", given);
            return feed_forward.compute(
                "FeedForward", [&](const auto& layer, const auto& v) { return layer(v, rows.layout_in(v.context())); },
                x);
          },
          "x"_a, "rows"_a);
  nb::class_<BoundPositionalEncoding>(m, "BoundPositionalEncoding")
      .def(
          "__init__",
          [](BoundPositionalEncoding* self, const StorePointer& store, const std::string& scope, Index positions,
             Index width, const NamedOptions& given) {
            PositionOptions options{.positions = positions, .width = width};
            LayerOptions("PositionalEncoding", given)
                .read("learned", options.learned)
                .read("sinusoid", options.order)
                .check_names();
            new (self) BoundPositionalEncoding(
                store, [&](auto& parameters) { return make_encoding(parameters, scope, options); });
          },
          "store"_a, "scope"_a, "positions"_a, "width"_a, "options"_a)
      .def(
          "__call__",
          [](const BoundPositionalEncoding& encoding, const Operand& x, const RowsLike& given) {
            const Rows rows = to_rows("PositionalEncoding", given);
            return encoding.compute(
                "PositionalEncoding",
                [&](const auto& layer, const auto& v) { return layer(v, rows.layout_in(v.context())); }, x);
          },
          "x"_a, "rows"_a);
  nb::class_<BoundEmbedding>(m, "BoundEmbedding")
      .def(
          "__init__",
          [](BoundEmbedding* self, const StorePointer& store, const std::string& scope, Index vocabulary, Index width,
             const NamedOptions& given) {
            new (self) BoundEmbedding(make_embedding(store, scope, vocabulary, width, given));
          },
          "store"_a, "scope"_a, "vocabulary"_a, "width"_a, "options"_a)
      .def("__call__", embed_ids, "ids"_a, "rows"_a);
}

}  // namespace glossa::python
