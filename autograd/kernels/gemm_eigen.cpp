#include <Eigen/Core>

#include "autograd/kernels/gemm.h"
#include "autograd/library_scope.h"

namespace glossa::kernels {

namespace {
template <class T>
using Rows =
    Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0, Eigen::OuterStride<>>;
}  // namespace

template <class T>
void eigen_tile(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, T* c, Index stride) {
  const LibraryScope scope;  // Eigen packs large products in memory of its own
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0, Eigen::OuterStride<>> result(
      c, m, n, Eigen::OuterStride<>(stride));
  if (beta == T{0}) result.setZero();
  const Rows<T> left(a.data, a.transposed ? k : m, a.transposed ? m : k, Eigen::OuterStride<>(a.stride));
  const Rows<T> right(b.data, b.transposed ? n : k, b.transposed ? k : n, Eigen::OuterStride<>(b.stride));
  if (a.transposed && b.transposed)
    result.noalias() += left.transpose() * right.transpose();
  else if (a.transposed)
    result.noalias() += left.transpose() * right;
  else if (b.transposed)
    result.noalias() += left * right.transpose();
  else
    result.noalias() += left * right;
}

template void eigen_tile(Index, Index, Index, const Factor<float>&, const Factor<float>&, float, float*, Index);
template void eigen_tile(Index, Index, Index, const Factor<double>&, const Factor<double>&, double, double*, Index);

}  // namespace glossa::kernels
