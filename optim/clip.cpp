#include "optim/clip.h"

#include <array>
#include <cmath>

#include "autograd/kernels/row.h"
#include "autograd/parallel.h"

namespace glossa {

template <class T>
double global_norm(std::span<const T> grads) {
  // At most 256 pieces, so that their sums need no heap; whole cache lines, and not too small to be worth a thread.
  constexpr Index most_pieces = 256, unit = 4096;
  const auto size = static_cast<Index>(grads.size());
  const Index grain = std::max<Index>(1, (size + most_pieces * unit - 1) / (most_pieces * unit)) * unit;
  std::array<double, most_pieces> sums{};
  parallel_ranges(size, grain, [&](Index begin, Index end) {
    const T* const piece = grads.data() + begin;
    sums[begin / grain] = kernels::row_sum<double>(end - begin, [piece](Index i) {
      const auto g = static_cast<double>(piece[i]);
      return g * g;
    });
  });
  double sum = 0;
  for (const double part : sums) sum += part;
  return std::sqrt(sum);
}

double clip_factor(double norm, double max_norm) {
  if (max_norm == 0) return 1;
  const double factor = max_norm / (norm + 1e-6);
  return factor > 1 ? 1 : factor;
}

template double global_norm(std::span<const float>);
template double global_norm(std::span<const double>);

}  // namespace glossa
