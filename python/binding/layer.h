#pragma once

#include <array>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "python/binding/array.h"
#include "python/binding/operand.h"
#include "python/binding/rows.h"
#include "python/binding/store.h"

namespace glossa::python {

/// A layer of layers/ for Python. Its parameters are in a Store, and it computes in the store's precision.
template <template <class> class Layer>
class BoundLayer {
 public:
  /// `make` takes a ParameterStore<T>, declares the parameters in it, and returns the Layer<T>.
  template <class Make>
  BoundLayer(const std::shared_ptr<Store>& store, const Make& make)
      : store_(store), layer_(store->visit([&]<class T>(ParameterStore<T>& parameters) {
          return std::make_shared<const Either>(std::in_place_type<Layer<T>>, make(parameters));
        })) {
    store->keep(layer_);  // the tape refers to the layer's tables of positions
  }

  const std::shared_ptr<Store>& store() const { return store_; }

  /// Calls f(layer).
  template <class F>
  decltype(auto) visit(const F& f) const {
    return std::visit(f, *layer_);
  }

  /// Calls f(layer, step) with the calling thread's step. The step keeps the store until the step ends.
  template <class F>
  decltype(auto) in_step(const char* where, const F& f) const {
    const std::shared_ptr<Step> step = Step::current(where);
    step->keep(store_);
    return visit([&](const auto& layer) { return f(layer, step); });
  }

  /// Computes f(layer, variables...), with one argument per operand.
  template <class F, class... Operands>
  Value compute(const char* where, const F& f, const Operands&... operands) const {
    return in_step(where, [&]<class T>(const Layer<T>& layer, const std::shared_ptr<Step>& step) {
      const std::array<Variable<T>, sizeof...(operands)> variables{as_variable<T>(where, *step, operands)...};
      const ComputingInStep computing(*step, StoreUse::Kind::read_values);
      return std::apply([&](const auto&... each) { return Value(step, f(layer, each...)); }, variables);
    });
  }

 private:
  using Either = std::variant<Layer<float>, Layer<double>>;

  std::shared_ptr<Store> store_;
  std::shared_ptr<const Either> layer_;
};

/// A layer with this number of attention heads.
template <template <class> class Layer>
struct BoundHeads {
  BoundLayer<Layer> layer;
  Index heads;
};

/// Defines a class of layers with heads. Its constructor takes the store, the scope and the options; read(layer,
/// options) converts the options.
template <template <class> class Layer, class Read>
nb::class_<BoundHeads<Layer>> class_of_heads(nb::module_& m, const char* name, const char* layer, Read read) {
  using Bound = BoundHeads<Layer>;
  nb::class_<Bound> bound(m, name);
  bound.def(
      "__init__",
      [=](Bound* self, const std::shared_ptr<Store>& store, const std::string& scope, const NamedOptions& given) {
        const auto options = read(layer, given);
        const auto make = [&]<class T>(ParameterStore<T>& parameters) { return Layer<T>(parameters, scope, options); };
        new (self) Bound{BoundLayer<Layer>(store, make), options.heads};
      },
      nb::arg("store"), nb::arg("scope"), nb::arg("options"));
  return bound;
}

/// Returns a stack's attention weights as arrays [heads, Tq, Tk]: a list per layer, with one array per sequence.
template <class T>
nb::list to_arrays(const std::vector<std::vector<T>>& layers, const Rows& query, const Rows& key, Index heads);

}  // namespace glossa::python
