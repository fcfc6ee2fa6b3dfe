#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace glossa::serve {

/// Thrown to a thread that waits for a value when the promise is destroyed unfulfilled.
struct BrokenPromise : std::exception {
  const char* what() const noexcept override { return "the promise was broken"; }
};

/// Hands a value or an exception to another thread, once. Fulfilling or breaking a promise needs no memory. In
/// contrast, std::promise's destructor allocates its error, and ends the process if this fails.
template <class Value>
class Promise {
  struct State {
    std::mutex mutex;
    std::condition_variable done;
    bool is_done = false;
    std::optional<Value> value;  // without a value and an error, the promise is broken
    std::exception_ptr error;
  };

 public:
  using Clock = std::chrono::steady_clock;

  class Future {
   public:
    /// Waits until `deadline` at most. Returns true if `get` would not wait.
    bool wait_until(Clock::time_point deadline) const {
      std::unique_lock lock(state_->mutex);
      return state_->done.wait_until(lock, deadline, [&] { return state_->is_done; });
    }

    /// True if `get` would not wait.
    bool is_ready() const {
      const std::scoped_lock lock(state_->mutex);
      return state_->is_done;
    }

    /// Waits, then moves the value out. Throws the exception, or BrokenPromise.
    Value get() {
      std::unique_lock lock(state_->mutex);
      state_->done.wait(lock, [&] { return state_->is_done; });
      if (state_->error) std::rethrow_exception(state_->error);
      if (!state_->value) throw BrokenPromise();
      return std::move(*state_->value);
    }

   private:
    friend class Promise;
    explicit Future(std::shared_ptr<State> state) : state_(std::move(state)) {}

    std::shared_ptr<State> state_;
  };

  Promise() : state_(std::make_shared<State>()) {}
  Promise(Promise&& other) noexcept = default;
  Promise& operator=(Promise&& other) noexcept {
    const Promise replaced(std::move(*this));
    state_ = std::move(other.state_);
    return *this;
  }
  ~Promise() {
    finish([](State&) {});
  }

  Future future() const { return Future(state_); }

  void set_value(Value value) {
    finish([&](State& state) { state.value.emplace(std::move(value)); });
  }
  void set_exception(std::exception_ptr error) {
    finish([&](State& state) { state.error = std::move(error); });
  }

 private:
  template <class Set>
  void finish(const Set& set) {
    const std::shared_ptr<State> state = std::move(state_);
    if (!state) return;  // this promise was moved from or is already finished
    const std::scoped_lock lock(state->mutex);
    set(*state);
    state->is_done = true;
    state->done.notify_all();
  }

  std::shared_ptr<State> state_;
};

}  // namespace glossa::serve
