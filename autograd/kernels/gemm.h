#pragma once

#include <string>

#include "autograd/shape.h"

namespace glossa::kernels {

/// A matrix to multiply: rows of `stride` elements; `transposed` reads it the other way round.
template <class T>
struct Factor {
  const T* data;
  Index stride;
  bool transposed = false;
};

/// C = A B + beta C: C [m, n] with rows of `stride` elements, A [m, k], B [k, n] after their transposes; beta is 0
/// or 1. The one entry for all products of matrices. C is cut into tiles by m, n and k alone, each computed whole by
/// one thread: the bits do not depend on the number of threads.
template <class T>
void gemm(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, T* c, Index stride);

/// Which library multiplies float tiles: "onednn" where it was found at build time, else "eigen". Double is Eigen's.
enum class GemmBackend { eigen, onednn };
GemmBackend gemm_backend();
/// Throws if the backend was not built in. Other bits come out of another backend.
void set_gemm_backend(GemmBackend backend);
bool has_gemm_backend(GemmBackend backend);
std::string name(GemmBackend backend);

/// One tile by one backend; a file each.
template <class T>
void eigen_tile(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, T* c, Index stride);
void onednn_tile(Index m, Index n, Index k, const Factor<float>& a, const Factor<float>& b, float beta, float* c,
                 Index stride);

}  // namespace glossa::kernels
