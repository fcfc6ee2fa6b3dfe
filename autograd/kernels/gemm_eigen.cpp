#include <Eigen/Core>
#include <algorithm>

#include "autograd/kernels/gemm.h"
#include "autograd/library_scope.h"

namespace glossa::kernels {

namespace {

using Eigen::internal::gemm_blocking_space;
using Eigen::internal::general_matrix_matrix_product;

/// Calls the kernel that Eigen's operator * uses for large matrices, for one storage order of each factor. The operator
/// would also compile loops for small matrices, vectors and every expression, which is three times as much code.
template <class T, int order_a, int order_b>
void add_product(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T* c, Index stride) {
  using Eigen::Dynamic, Eigen::RowMajor;
  gemm_blocking_space<RowMajor, T, T, Dynamic, Dynamic, Dynamic> blocking(m, n, k, 1, true);
  general_matrix_matrix_product<Index, T, order_a, false, T, order_b, false, RowMajor, 1>::run(
      m, n, k, a.data, a.stride, b.data, b.stride, c, 1, stride, T{1}, blocking);
}

}  // namespace

template <class T>
void eigen_tile(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, T* c, Index stride) {
  constexpr int rows = Eigen::RowMajor, columns = Eigen::ColMajor;
  const LibraryScope scope;  // Eigen allocates memory for packing
  for (Index i = 0; i < m && beta == T{0}; ++i) std::fill_n(c + i * stride, n, T{0});
  if (a.transposed)
    b.transposed ? add_product<T, columns, columns>(m, n, k, a, b, c, stride)
                 : add_product<T, columns, rows>(m, n, k, a, b, c, stride);
  else
    b.transposed ? add_product<T, rows, columns>(m, n, k, a, b, c, stride)
                 : add_product<T, rows, rows>(m, n, k, a, b, c, stride);
}

template void eigen_tile(Index, Index, Index, const Factor<float>&, const Factor<float>&, float, float*, Index);
template void eigen_tile(Index, Index, Index, const Factor<double>&, const Factor<double>&, double, double*, Index);

}  // namespace glossa::kernels
