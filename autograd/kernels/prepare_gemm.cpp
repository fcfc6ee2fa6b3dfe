#include <sys/mman.h>

#include <vector>

#include "autograd/kernels/gemm.h"
#include "base/check.h"
#include "base/parallel.h"

namespace glossa::kernels {

void prepare_gemm() {
  // Up to 17 MB are for the kernels' code (AVX-512), the rest for threads and heaps that libraries create here.
  constexpr std::size_t enough = std::size_t{32} << 20;
  void* const reserve = mmap(nullptr, enough, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  check(reserve != MAP_FAILED, "memory",
        "cannot prepare matrix products: the machine has no more memory. Hint: raise the limit (ulimit -v)");
  munmap(reserve, enough);
  constexpr Index few = 8, side = 64;  // oneDNN has separate kernels for one row or column and for a few
  const LoopsAlone alone;
  const std::vector<float> a(side * side), b(side * side);
  std::vector<float> c(side * side);
  for (const Index rows : {Index{1}, few, side})
    for (const Index cols : {Index{1}, few, side})
      for (const bool transposed_a : {false, true})
        for (const bool transposed_b : {false, true})
          for (const float beta : {0.0f, 1.0f})
            gemm(rows, cols, side, {a.data(), side, transposed_a}, {b.data(), side, transposed_b}, beta,
                 {c.data(), side});
}

}  // namespace glossa::kernels
