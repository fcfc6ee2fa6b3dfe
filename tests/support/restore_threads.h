#pragma once

#include "base/parallel.h"

namespace glossa::testing {

/// Restores the process's number of threads when destroyed.
class RestoreThreads {
 public:
  RestoreThreads() = default;
  RestoreThreads(const RestoreThreads&) = delete;
  RestoreThreads& operator=(const RestoreThreads&) = delete;
  ~RestoreThreads() { set_threads(threads_); }

 private:
  int threads_ = threads();
};

}  // namespace glossa::testing
