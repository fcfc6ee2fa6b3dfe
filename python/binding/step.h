#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "autograd/context.h"
#include "python/binding/computing.h"
#include "python/binding/store.h"

namespace glossa::python {

/// Python's `with glossa.step():`. It has a context for each precision; the contexts begin with the step. Variables
/// belong to a step and to the thread that opened it, and end with the step.
class Step {
 public:
  struct Options {
    StepOptions step;
    bool reuse = false;  // reuse of memory within the step: see Context::set_reuse
  };

  explicit Step(const Options& options) : options_(options) {}

  /// Makes a step around a context that another object owns, until `end`.
  explicit Step(Context<double>& context) : double_(&context) {}

  /// Makes `step` the thread's current step. Throws an Error if the thread already has one, or if `step` has begun
  /// before.
  static void begin(const std::shared_ptr<Step>& step);

  /// Ends the step. Throws an Error unless it is the calling thread's step.
  void end();

  /// Returns the calling thread's step. Throws an Error at `where` if it has none.
  static const std::shared_ptr<Step>& current(const char* where);

  static bool is_current(const std::shared_ptr<Step>& step) { return step == current_; }
  bool has_ended() const { return has_begun_ && !double_; }

  template <class T>
  Context<T>& context();

  /// Keeps the store until the step ends, because the tape refers to its parameters.
  void keep(const std::shared_ptr<Store>& store);
  const std::vector<std::shared_ptr<Store>>& stores() const { return stores_; }

 private:
  /// The contexts of one step. The thread's next step reuses their memory.
  struct Contexts {
    Context<float> single;
    Context<double> twice;
  };

  static thread_local std::shared_ptr<Step> current_;
  static thread_local std::unique_ptr<Contexts> spare_;  // contexts of the thread's last step

  Options options_;
  std::unique_ptr<Contexts> own_;
  Context<float>* single_ = nullptr;
  Context<double>* double_ = nullptr;
  bool has_begun_ = false;
  std::vector<std::shared_ptr<Store>> stores_;
};

template <>
inline Context<float>& Step::context<float>() {
  check(single_ != nullptr, "step", "expected float64, in which glossa checks gradients; got float32");
  return *single_;
}
template <>
inline Context<double>& Step::context<double>() {
  return *double_;
}

/// While it exists, the thread computes in a step: it uses the step's stores and releases the interpreter.
class ComputingInStep {
 public:
  ComputingInStep(const Step& step, StoreUse::Kind use) {
    for (const std::shared_ptr<Store>& store : step.stores()) uses_.emplace_back(store, use);
    released_.emplace();
  }
  ~ComputingInStep() { released_.reset(); }

 private:
  std::deque<StoreUse> uses_;
  std::optional<Released> released_;
};

}  // namespace glossa::python
