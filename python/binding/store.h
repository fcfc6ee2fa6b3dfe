#pragma once

#include <memory>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "autograd/parameter.h"

namespace glossa::python {

enum class Precision { float32, float64 };

template <class T>
constexpr Precision precision_of = std::is_same_v<T, float> ? Precision::float32 : Precision::float64;

constexpr const char* name(Precision precision) { return precision == Precision::float32 ? "float32" : "float64"; }

/// Calls f(T()), where T is float or double, as `precision` says.
template <class F>
decltype(auto) with_type(Precision precision, const F& f) {
  return precision == Precision::float32 ? f(float{}) : f(double{});
}

/// The parameters of a module, in one precision.
class Store {
 public:
  explicit Store(Precision precision) : precision_(precision) {
    if (precision == Precision::float64) parameters_.emplace<ParameterStore<double>>();
  }

  Precision precision() const { return precision_; }

  template <class T>
  ParameterStore<T>& get() {
    return std::get<ParameterStore<T>>(parameters_);
  }

  /// Calls f with the ParameterStore<float> or ParameterStore<double>.
  template <class F>
  decltype(auto) visit(const F& f) {
    return std::visit(f, parameters_);
  }

  /// Keeps an object as long as the store exists.
  void keep(std::shared_ptr<const void> object) { kept_.push_back(std::move(object)); }

  /// Number of threads that read values, and the threads that write values and gradients. Only the thread that holds
  /// the interpreter changes them.
  int readers = 0;
  std::optional<std::thread::id> values_writer, gradients_writer;

 private:
  Precision precision_;
  std::variant<ParameterStore<float>, ParameterStore<double>> parameters_;
  std::vector<std::shared_ptr<const void>> kept_;
};

/// While it exists, a thread reads a store's values, or writes its values or gradients. Create and destroy it while
/// holding the interpreter. The constructor throws an Error if another thread's use excludes this one.
class StoreUse {
 public:
  enum class Kind { read_values, write_values, write_gradients };
  StoreUse(std::shared_ptr<Store> store, Kind kind);
  ~StoreUse();
  StoreUse(const StoreUse&) = delete;
  StoreUse& operator=(const StoreUse&) = delete;

 private:
  std::optional<std::thread::id>& writer();

  std::shared_ptr<Store> store_;
  Kind kind_;
  std::optional<std::thread::id> before_;  // the previous writer
};

/// One parameter in a store.
struct BoundParameter {
  std::shared_ptr<Store> store;
  std::variant<Parameter<float>*, Parameter<double>*> parameter;

  const Shape& shape() const {
    return std::visit([](const auto* each) -> const Shape& { return each->value.shape; }, parameter);
  }
};

}  // namespace glossa::python
