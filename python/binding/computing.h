#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <thread>

#include "autograd/signals_blocked.h"

namespace glossa::python {

namespace nb = nanobind;

/// Releases the interpreter while it exists: other Python threads can run. For ops, which neither wait nor use files.
/// The engine itself blocks signals when they could do harm.
class Released {
 public:
  Released() {
    ++computing_;
    ++computing_here_;
    release_.emplace();
  }
  ~Released() {
    const Return back;
    release_.reset();
    --computing_;
    --computing_here_;
  }
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;

  /// Throws an Error at `where` if any thread computes. For settings of the whole process.
  static void check_none(const char* where);

  /// Call it in a new process after fork; only the calling thread exists there.
  static void after_fork();

  /// Call it when the interpreter begins to end. From then on, only daemon threads can still compute. They must
  /// never wait for the interpreter again, because Python would then end them in the middle of C++ functions.
  static void begin_exit();

  /// Takes the interpreter back for action(), and returns its result.
  template <class Action>
  static auto with_interpreter(const Action& action) {
    std::optional<Return> back(std::in_place);
    const nb::gil_scoped_acquire acquire;
    back.reset();
    return action();
  }

 private:
  /// Exists while a thread waits for the interpreter. The constructor does not return once the interpreter ends.
  struct Return {
    Return();
    ~Return();
  };

  static int computing_;  // count over all threads; only the thread that holds the interpreter changes it
  static inline constinit thread_local int computing_here_ = 0;  // the current thread's count
  std::optional<nb::gil_scoped_release> release_;
};

/// Releases the interpreter for longer work that signals must not interrupt: training, searches, files.
class Computing {
 public:
  /// Calls action() with the interpreter and the earlier signal handling, and returns its result.
  template <class Action>
  auto pause(const Action& action) {
    return Released::with_interpreter([&] {
      const SignalsBlocked::Pause unblocked;
      return action();
    });
  }

  /// Lets Python's signal handlers run, between parts of the work. Throws the exceptions that they raise, such as
  /// KeyboardInterrupt. Does nothing in threads other than the one that created the object.
  void check_signals();

 private:
  const std::thread::id thread_ = std::this_thread::get_id();
  SignalsBlocked blocked_;
  Released released_;
};

}  // namespace glossa::python
