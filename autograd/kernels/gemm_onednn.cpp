#ifdef GLOSSA_HAS_ONEDNN

#include <dnnl.h>
#include <omp.h>

#include <new>

#include "autograd/kernels/gemm.h"
#include "autograd/library_scope.h"
#include "autograd/signals_blocked.h"
#include "base/check.h"

namespace glossa::kernels {

namespace {

/// Sets OpenMP's number of threads. libgomp allocates a thread's settings on their first change, and ends the process
/// if that fails. The function therefore first allocates some memory as a test, which throws std::bad_alloc on failure.
void set_openmp_threads(int count) {
  static thread_local bool has_settings = false;
  if (!has_settings) ::operator delete(::operator new(4096));  // compilers keep these calls, but not a new-expression
  has_settings = true;
  omp_set_num_threads(count);
}

}  // namespace

void onednn_tile(Index m, Index n, Index k, const Factor<float>& a, const Factor<float>& b, float beta, float* c,
                 Index stride, int threads) {
  const LibraryScope scope;
  const SignalsBlocked blocked;
  // Outside a parallel region, oneDNN uses this number of threads.
  const int before = omp_get_max_threads();
  if (before != threads) set_openmp_threads(threads);
  const dnnl_status_t status = dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n, k, 1.0f, a.data,
                                          a.stride, b.data, b.stride, beta, c, stride);
  if (before != threads) set_openmp_threads(before);
  if (status == dnnl_out_of_memory) throw std::bad_alloc();
  check(status == dnnl_success, "gemm", "cannot multiply [{}, {}] x [{}, {}]: oneDNN returned status {}", m, k, k, n,
        static_cast<int>(status));
}

std::string onednn_description() {
  const dnnl_version_t* const version = dnnl_version();
  return fmt::format("oneDNN {}.{}.{}, instruction set {:x}", version->major, version->minor, version->patch,
                     static_cast<unsigned>(dnnl_get_effective_cpu_isa()));
}

}  // namespace glossa::kernels

#endif
