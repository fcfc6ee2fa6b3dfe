#pragma once

#include <nanobind/nanobind.h>
#include <signal.h>

#include <optional>

namespace glossa::python {

namespace nb = nanobind;

/// Keeps asynchronous signals from the calling thread and from the threads that it starts. The GEMM library's generated
/// code uses the stack pointer for other purposes, so a handler running on that "stack" would overwrite numbers.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  /// Lets pending signals through. Their handlers run in this call.
  void let_through();

 private:
  sigset_t before_;
};

/// While it exists, the calling thread computes: other Python threads run, and signals wait. Every call that may
/// compute makes one, after it has read its arguments from Python's objects.
class Computing {
 public:
  Computing() {
    ++computing_;
    release_.emplace();
  }
  ~Computing() {
    const Return back;
    release_.reset();
    --computing_;
  }
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;

  /// Takes the interpreter back, lets pending signals through, and returns action().
  template <class Action>
  auto pause(const Action& action) {
    std::optional<Return> back(std::in_place);
    const nb::gil_scoped_acquire acquire;
    back.reset();
    blocked_.let_through();
    return action();
  }

  /// Throws an Error at `where` if any thread computes: for settings of the whole process.
  static void check_none(const char* where);

  /// Call when the interpreter begins to end. Other threads that compute can only be daemons then. They never get the
  /// interpreter back, as Python would end them within frames of C++, which may not be left in this way.
  static void begin_exit();

 private:
  /// Exists while a thread waits for the interpreter. The constructor does not return once the interpreter ends.
  struct Return {
    Return();
    ~Return();
  };

  static int computing_;  // changed only by the thread that holds the interpreter
  SignalsBlocked blocked_;
  std::optional<nb::gil_scoped_release> release_;
};

}  // namespace glossa::python
