#include <algorithm>

#include "autograd/kernels/rowwise.h"
#include "autograd/ops.h"

namespace glossa {

namespace {

/// The row that `row_of` chooses in each sequence.
template <class T, class RowOf>
Variable<T> pool(const char* op, const Variable<T>& x, const RowLayout& layout, const RowOf& row_of) {
  Context<T>& c = context_of(op, {x});
  check_layout(op, layout, x.shape());
  const std::span<int> rows = c.template array<int>(layout.sequence_count());
  for (Index b = 0; b < layout.sequence_count(); ++b) {
    check(layout.sequences[b].length > 0, op, "expected sequences of at least one row; got an empty sequence {}", b);
    rows[b] = static_cast<int>(row_of(layout.sequences[b]));
  }
  return index_select(x, std::span<const int>(rows));
}

}  // namespace

template <class T>
Variable<T> mean_pool(const Variable<T>& x, const RowLayout& layout) {
  Context<T>& c = context_of("mean_pool", {x});
  check_layout("mean_pool", layout, x.shape());
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor({layout.sequence_count(), in.cols()});
  const std::span<const RowSpan> sequences = c.keep(layout.sequences);
  parallel_for(y.rows(), [&](Index b) {
    const auto [offset, length] = sequences[b];
    T* const row = y.row(b);
    kernels::column_sums<T>({row, {y.cols()}}, length, {.data = in.data + offset * in.cols(), .stride = in.cols()},
                            false);
    for (Index j = 0; j < y.cols(); ++j) row[j] /= static_cast<T>(std::max<Index>(1, length));
  });

  // Every row of a sequence gets dy / length; a gap row gets 0.
  return c.record("mean_pool", {x}, y, [sequences](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    const Tensor<T> dx = back.sink(0).zeroed();
    parallel_for(dy.rows(), [&](Index b) {
      const RowSpan rows = sequences[b];
      for (Index t = 0; t < rows.length; ++t)
        kernels::add_to_row(dx.cols(), dx.row(rows.offset + t),
                            [&](Index j) { return dy.row(b)[j] / static_cast<T>(rows.length); });
    });
  });
}

template <class T>
Variable<T> first_pool(const Variable<T>& x, const RowLayout& layout) {
  return pool("first_pool", x, layout, [](const RowSpan& sequence) { return sequence.offset; });
}

template <class T>
Variable<T> last_pool(const Variable<T>& x, const RowLayout& layout) {
  return pool("last_pool", x, layout, [](const RowSpan& sequence) { return sequence.offset + sequence.length - 1; });
}

#define GLOSSA_INSTANTIATE(T)                                            \
  template Variable<T> mean_pool(const Variable<T>&, const RowLayout&);  \
  template Variable<T> first_pool(const Variable<T>&, const RowLayout&); \
  template Variable<T> last_pool(const Variable<T>&, const RowLayout&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
