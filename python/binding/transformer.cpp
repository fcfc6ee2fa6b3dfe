#include "layers/transformer.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/check.h"
#include "decoding/decoding.h"
#include "python/binding/attend.h"
#include "python/binding/bindings.h"
#include "python/binding/layer.h"
#include "python/binding/layer_options.h"
#include "python/binding/loss.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

constexpr const char* transformer = "Transformer";

struct BoundTransformer {
  BoundLayer<Transformer> layer;
  TransformerOptions options;
};

/// Token ids and the rows that they are in.
struct Tokens {
  Ids ids;
  const Rows& rows;

  Tokens(const IdsLike& given, const Rows& layout) : ids(to_ids(transformer, given)), rows(layout) {}
};

/// Computes f(layer, context) in the calling thread's step.
template <class F>
Value compute_tokens(const BoundTransformer& model, const F& f) {
  return model.layer.in_step(transformer, [&]<class T>(const Transformer<T>& layer, const std::shared_ptr<Step>& step) {
    const ComputingInStep computing(*step, StoreUse::Kind::read_values);
    return Value(step, f(layer, step->context<T>()));
  });
}

Value logits(const BoundTransformer& model, const IdsLike& source, const Rows& source_rows, const IdsLike& target,
             const Rows& target_rows) {
  const Tokens from(source, source_rows), to(target, target_rows);
  return compute_tokens(model, [&](const auto& layer, auto& context) {
    return layer(context, from.ids.numbers, from.rows.layout_in(context), to.ids.numbers, to.rows.layout_in(context));
  });
}

nb::any encode(const BoundTransformer& model, const IdsLike& source, const Rows& rows, bool need_weights) {
  const Tokens from(source, rows);
  return model.layer.in_step(transformer, [&]<class T>(const Transformer<T>& layer, const std::shared_ptr<Step>& step) {
    AttentionWeights<T> weights;
    const auto compute = [&] {
      const ComputingInStep computing(*step, StoreUse::Kind::read_values);
      Context<T>& context = step->context<T>();
      return layer.encode(context, from.ids.numbers, rows.layout_in(context), need_weights ? &weights : nullptr);
    };
    const Value memory(step, compute());
    if (!need_weights) return as_any(nb::cast(memory));
    return as_any(nb::make_tuple(memory, to_arrays(weights.encoder, rows, rows, model.options.stack.heads)));
  });
}

nb::any decode(const BoundTransformer& model, const IdsLike& target, const Rows& rows, const Operand& memory,
               const RowsLike& given, bool need_weights) {
  const Rows memory_rows = to_rows(transformer, given);
  const Tokens to(target, rows);
  return model.layer.in_step(transformer, [&]<class T>(const Transformer<T>& layer, const std::shared_ptr<Step>& step) {
    const Variable<T> encoded = as_variable<T>(transformer, *step, memory);
    AttentionWeights<T> weights;
    const auto compute = [&] {
      const ComputingInStep computing(*step, StoreUse::Kind::read_values);
      Context<T>& context = step->context<T>();
      return layer.decode(context, to.ids.numbers, rows.layout_in(context), encoded, memory_rows.layout_in(context),
                          need_weights ? &weights : nullptr);
    };
    const Value states(step, compute());
    if (!need_weights) return as_any(nb::cast(states));
    const Index heads = model.options.stack.heads;
    return as_any(nb::make_tuple(states, to_arrays(weights.decoder, rows, rows, heads),
                                 to_arrays(weights.cross, rows, memory_rows, heads)));
  });
}

Value project(const BoundTransformer& model, const Operand& states) {
  return model.layer.compute(
      transformer, [](const auto& layer, const auto& v) { return layer.project(v); }, states);
}

Loss loss_of_model(const BoundTransformer& model, const IdsLike& source, const Rows& source_rows, const IdsLike& target,
                   const Rows& target_rows, const IdsLike& next, int ignore_index, double label_smoothing) {
  const Tokens from(source, source_rows), to(target, target_rows);
  const Ids expected = to_ids(transformer, next);
  return model.layer.in_step(transformer, [&]<class T>(const Transformer<T>& layer, const std::shared_ptr<Step>& step) {
    const ComputingInStep computing(*step, StoreUse::Kind::read_values);
    Context<T>& context = step->context<T>();
    const RowLayout source_layout = from.rows.layout_in(context), target_layout = to.rows.layout_in(context);
    const Variable<T> memory = layer.encode(context, from.ids.numbers, source_layout);
    const Variable<T> states = layer.decode(context, to.ids.numbers, target_layout, memory, source_layout);
    return Loss(step, layer.loss(states, expected.numbers, ignore_index, label_smoothing));
  });
}

std::vector<std::vector<Hypothesis>> search(const BoundTransformer& model, const std::vector<std::vector<int>>& sources,
                                            int start, int end, int pad, std::int64_t n, const NamedOptions& given) {
  const DecodeOptions options = to_decode_options(given);
  const SpecialIds specials{.unk = -1, .pad = pad, .bos = start, .eos = end};
  check_specials(specials, static_cast<int>(model.options.target_vocabulary), "generate");
  const std::shared_ptr<Store>& store = model.layer.store();
  const StoreUse use(store, StoreUse::Kind::read_values);
  Computing computing;
  return model.layer.visit([&]<class T>(const Transformer<T>& layer) {
    Searcher<T> searcher;
    searcher.watch([&](Index) { computing.check_signals(); });
    return searcher.n_best(layer, sources, specials, options, n);
  });
}

}  // namespace

void add_transformer(nb::module_& m) {
  nb::class_<Hypothesis>(m, "Hypothesis", "A translation as token ids, found by a search")
      .def_ro("tokens", &Hypothesis::tokens, "The ids, without start and end")
      .def_ro("score", &Hypothesis::score, "log_probability divided by the length penalty")
      .def_ro("log_probability", &Hypothesis::log_probability, "Natural logarithm, with the end token")
      .def_ro("finished", &Hypothesis::finished,
              "True if ended by the end token, False if cut off at the maximum length")
      .def("__repr__", [](const Hypothesis& hypothesis) {
        return fmt::format("<glossa.Hypothesis: {} tokens, score {:.4g}>", hypothesis.tokens.size(), hypothesis.score);
      });
  nb::class_<BoundTransformer>(m, "BoundTransformer")
      .def(
          "__init__",
          [](BoundTransformer* self, const std::shared_ptr<Store>& store, const std::string& scope,
             const NamedOptions& given) {
            const TransformerOptions options = to_transformer_options(given);
            const auto make = [&]<class T>(ParameterStore<T>& parameters) {
              return Transformer<T>(parameters, options, scope);
            };
            new (self) BoundTransformer{BoundLayer<Transformer>(store, make), options};
          },
          "store"_a, "scope"_a, "options"_a)
      .def("__call__", logits, "source"_a, "source_rows"_a, "target"_a, "target_rows"_a)
      .def("encode", encode, "source"_a, "rows"_a, "need_weights"_a = false)
      .def("decode", decode, "target"_a, "rows"_a, "memory"_a, "memory_rows"_a, "need_weights"_a = false)
      .def("project", project, "states"_a)
      .def("loss", loss_of_model, "source"_a, "source_rows"_a, "target"_a, "target_rows"_a, "next"_a, "ignore_index"_a,
           "label_smoothing"_a)
      .def("search", search, "sources"_a, "start"_a, "end"_a, "pad"_a, "n"_a, "options"_a);
}

}  // namespace glossa::python
