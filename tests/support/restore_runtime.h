#pragma once

#include "autograd/kernels/gemm.h"
#include "autograd/parallel.h"

namespace glossa::testing {

/// Restores the process's threads and GEMM backend at the end.
class RestoreRuntime {
 public:
  RestoreRuntime() = default;
  RestoreRuntime(const RestoreRuntime&) = delete;
  RestoreRuntime& operator=(const RestoreRuntime&) = delete;
  ~RestoreRuntime() {
    set_threads(threads_);
    kernels::set_gemm_backend(backend_);
  }

 private:
  int threads_ = threads();
  kernels::GemmBackend backend_ = kernels::gemm_backend();
};

/// Sets one thread, as more would only cost time in small computations. Restores threads and GEMM backend at the end.
class OneThread : RestoreRuntime {
 public:
  OneThread() { set_threads(1); }
};

}  // namespace glossa::testing
