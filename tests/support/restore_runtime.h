#pragma once

#include "autograd/kernels/gemm.h"
#include "tests/support/restore_threads.h"

namespace glossa::testing {

/// Restores the process's number of threads and GEMM backend when destroyed.
class RestoreRuntime : RestoreThreads {
 public:
  ~RestoreRuntime() { kernels::set_gemm_backend(backend_); }

 private:
  kernels::GemmBackend backend_ = kernels::gemm_backend();
};

/// Sets one thread, because more would only cost time in small computations. Restores the settings when destroyed.
class OneThread : RestoreRuntime {
 public:
  OneThread() { set_threads(1); }
};

}  // namespace glossa::testing
