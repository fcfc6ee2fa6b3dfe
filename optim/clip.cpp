#include "optim/clip.h"

#include "autograd/kernels/row.h"
#include "base/check.h"

namespace glossa {

template <class T>
double sum_of_squares(std::span<const T> numbers) {
  return kernels::sum<double>(std::ssize(numbers), [numbers](Index i) {
    const auto x = static_cast<double>(numbers[static_cast<std::size_t>(i)]);
    return x * x;
  });
}

double clip_factor(double norm, double max_norm) {
  if (!(max_norm >= 0))
    misuse("clip_factor", "expected max_norm of at least 0; got {}. Hint: 0 turns it off", max_norm);
  if (max_norm == 0) return 1;
  const double factor = max_norm / (norm + 1e-6);
  return factor > 1 ? 1 : factor;
}

template double sum_of_squares(std::span<const float>);
template double sum_of_squares(std::span<const double>);

}  // namespace glossa
