#pragma once

#include <memory>
#include <variant>

#include "optim/optimizer.h"
#include "python/binding/alone.h"

namespace glossa::python {

/// An optimizer of a store's parameters.
class BoundOptimizer {
 public:
  template <class T>
  BoundOptimizer(std::shared_ptr<Store> store, std::unique_ptr<Optimizer<T>> optimizer)
      : store_(std::move(store)), optimizer_(std::move(optimizer)) {}

  const std::shared_ptr<Store>& store() const { return store_; }

  /// Calls f(optimizer, parameters) as python::alone does.
  template <class F>
  decltype(auto) alone(StoreUse::Kind kind, const F& f) {
    return python::alone(store_, kind, [&]<class T>(ParameterStore<T>& parameters) -> decltype(auto) {
      return f(*std::get<std::unique_ptr<Optimizer<T>>>(optimizer_), parameters);
    });
  }

  std::int64_t steps() const {
    return std::visit([](const auto& optimizer) { return optimizer->steps(); }, optimizer_);
  }

 private:
  std::shared_ptr<Store> store_;
  std::variant<std::unique_ptr<Optimizer<float>>, std::unique_ptr<Optimizer<double>>> optimizer_;
};

}  // namespace glossa::python
