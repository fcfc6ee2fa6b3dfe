#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "autograd/context.h"
#include "python/binding/computing.h"
#include "python/binding/store.h"

namespace glossa::python {

/// A step of the engine as Python sees it, `with glossa.step():`. It has a context for each precision; both begin with
/// the step. Variables belong to their step and to the thread that opened it, and end with it.
class Step {
 public:
  struct Options {
    StepOptions step;
    bool reuse = false;  // of memory within the step: see Context::set_reuse
  };

  explicit Step(const Options& options) : options_(options) {}

  /// A step around a context that belongs to someone else, until `end`.
  explicit Step(Context<double>& context) : double_(&context) {}

  /// Makes it the thread's step. Throws an Error if the thread has one, or if this one has begun before.
  static void begin(const std::shared_ptr<Step>& step);

  /// Throws an Error unless it is the calling thread's step.
  void end();

  /// The calling thread's step. Throws an Error at `where` if it has none.
  static const std::shared_ptr<Step>& current(const char* where);

  static bool is_current(const std::shared_ptr<Step>& step) { return step == current_; }
  bool has_ended() const { return has_begun_ && !double_; }

  template <class T>
  Context<T>& context();

  /// Keeps the store until the step ends, as the tape refers to its parameters.
  void keep(const std::shared_ptr<Store>& store);
  const std::vector<std::shared_ptr<Store>>& stores() const { return stores_; }

 private:
  /// The contexts of one step; their memory then serves the thread's next step.
  struct Contexts {
    Context<float> single;
    Context<double> twice;
  };

  static thread_local std::shared_ptr<Step> current_;
  static thread_local std::unique_ptr<Contexts> spare_;  // of the thread's last step

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

/// Computing within a step, with the uses of its stores.
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
