#include <algorithm>
#include <limits>
#include <ranges>

#include "autograd/kernels/argmax.h"
#include "autograd/kernels/row.h"
#include "autograd/ops.h"

namespace glossa {

template <class T>
TopK<T> topk(const Variable<T>& x, Index k) {
  Context<T>& c = context_of("topk", {x});
  const Tensor<const T> in = c.read(x);
  const Index rows = in.rows(), cols = in.cols();
  if (in.shape.rank() == 0 || k < 0 || k > cols || cols > std::numeric_limits<int>::max())
    fail("topk", "expected 0 <= k <= D for x [..., D] with D < 2^31; got {} and {}", k, in.shape);
  const Tensor<T> y = c.tensor(in.shape.with(-1, k));
  const std::span<int> indices = c.template array<int>(rows * k);
  kernels::for_each_row(rows, cols, [&](Index row) {
    const T* const numbers = in.row(row);
    const auto before = [numbers](int i, int j) {
      const kernels::Beats beats;
      return beats(numbers[i], numbers[j]) || (i < j && !beats(numbers[j], numbers[i]));
    };
    const std::span<int> best = indices.subspan(row * k, k);
    std::ranges::partial_sort_copy(std::views::iota(0, static_cast<int>(cols)), best, before);
    std::ranges::transform(best, y.row(row), [numbers](int i) { return numbers[i]; });
  });
  c.add_branches(rows * k * cols, [&](Index i) { return indices[i / cols] == i % cols; });

  const auto derivative = [indices, rows, k](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    const Tensor<T> dx = back.sink(0).zeroed();
    kernels::for_each_row(rows, k, [&](Index row) {
      for (Index i = row * k; i < (row + 1) * k; ++i) dx.row(row)[indices[i]] += dy[i];
    });
  };
  return {c.record("topk", {x}, y, derivative), indices};
}

template TopK<float> topk(const Variable<float>&, Index);
template TopK<double> topk(const Variable<double>&, Index);

}  // namespace glossa
