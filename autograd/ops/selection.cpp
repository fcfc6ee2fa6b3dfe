#include <algorithm>

#include "autograd/kernels/int8/quantize.h"
#include "autograd/kernels/row.h"
#include "autograd/ops.h"
#include "autograd/ops/dropout_mask.h"

namespace glossa {

namespace {

template <class T>
void check_ids(const char* op, const Tensor<const T>& table, std::span<const int> ids) {
  check(table.shape.rank() == 2, op, "expected a table [V, D]; got {}", table.shape);
  for (std::size_t i = 0; i < ids.size(); ++i)
    check(ids[i] >= 0 && ids[i] < table.rows(), op, "expected ids in [0, {}) for a table {}; got {} at {}",
          table.rows(), table.shape, ids[i], i);
}

/// Adds f(i, j) to element [row_of(i), j] of the sink, for all i in order; skips i if row_of(i) < 0. Does nothing
/// without a sink. Rows may repeat, so threads share the columns instead of the rows.
template <class T, class RowOf, class F>
void scatter_add(const Sink<T>& to, Index count, const RowOf& row_of, const F& f) {
  if (!to) return;
  const Tensor<T> sums = to.zeroed();
  const Index d = sums.cols();
  parallel_ranges(d, 64, [&](Index begin, Index end) {
    for (Index i = 0; i < count; ++i) {
      const Index target = row_of(i);
      if (target < 0) continue;
      kernels::write(sums.row(target), begin, end, true, [&](Index j) { return f(i, j); });
    }
  });
}

template <class T>
Variable<T> select_rows(const char* op, const Variable<T>& table, std::span<const int> ids) {
  Context<T>& c = context_of(op, {table});
  const Tensor<const T> rows = c.read(table);
  check_ids(op, rows, ids);
  const Index n = static_cast<Index>(ids.size()), d = rows.cols();
  const Tensor<T> y = c.tensor({n, d});
  for (Index i = 0; i < n; ++i) std::copy_n(rows.row(ids[i]), d, y.row(i));

  // dtable[v] = sum of dy_i over the rows i with id v.
  return c.record(op, {table}, y, [ids = c.keep(ids), n](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    scatter_add(
        back.sink(0), n, [&](Index i) { return ids[i]; }, [&](Index i, Index j) { return dy.row(i)[j]; });
  });
}

}  // namespace

template <class T>
Variable<T> embedding(const Variable<T>& table, std::span<const int> ids) {
  return select_rows("embedding", table, ids);
}

template <class T>
Variable<T> index_select(const Variable<T>& x, std::span<const int> indices) {
  return select_rows("index_select", x, indices);
}

namespace {

/// embed_tokens with or without `positions`: y_i = dropout(factor table[ids[i]] + positions[t]) for row i at position
/// t.
template <class T>
Variable<T> embed_rows(const Variable<T>& table, std::span<const int> ids, double factor,
                       const OptionalVariable<T>& positions, double p, const RowLayout& layout) {
  const char* const op = "embed_tokens";
  Context<T>& c = context_of<T>(op, {table, positions});
  const Tensor<const T> rows = c.read_matrix(table), places = positions ? c.read(*positions) : Tensor<const T>{};
  const kernels::int8::Weight* const codes = c.in_int8(table);
  check_ids(op, rows, ids);
  const Index n = layout.rows, d = rows.cols();
  check(!positions || (places.shape.rank() == 2 && places.cols() == d), op, "expected positions [P, {}]; got {}", d,
        places.shape);
  check_layout(op, layout, {static_cast<Index>(ids.size()), d});

  // Position of each row in its sequence; -1 in gap rows.
  const std::span<Index> position = c.template array<Index>(n);
  std::fill(position.begin(), position.end(), Index{-1});
  for (const RowSpan& sequence : layout.sequences) {
    check(!positions || layout.first_position + sequence.length <= places.rows(), op,
          "expected sequences of at most {} tokens; got one of {}. Hint: use more positions, or shorter sequences",
          places.rows(), layout.first_position + sequence.length);
    for (Index t = 0; t < sequence.length; ++t) position[sequence.offset + t] = layout.first_position + t;
  }

  const Tensor<T> y = c.tensor({n, d});
  const DropoutMask<T> mask = draw_mask(op, c, y.shape, p, layout);
  const Arena::Mark mark = c.scratch_mark();
  const Tensor<T> no_place = positions ? Tensor<T>{} : c.scratch({d});
  if (!positions) kernels::fill(no_place, T{0});
  const T s = static_cast<T>(factor);
  kernels::for_each_row(y, [&](Index i) {
    T* const row = y.row(i);
    if (position[i] < 0) return kernels::assign_row(d, row, [](Index) { return T{0}; });
    if (codes) kernels::int8::unpack_row(*codes, ids[i], row);
    const T* const token = codes ? row : rows.row(ids[i]);
    const T* const place = positions ? places.row(position[i]) : no_place.data;
    mask.visit([&](const auto& drop) {
      kernels::assign_row(d, row, [=, at = i * d](Index j) { return drop(at + j, s * token[j] + place[j]); });
    });
  });

  // With g = dy after the mask: dtable[v] = s * sum of g_i over the rows i with id v; dpositions[t] = sum of g_i over
  // the rows at position t.
  return c.record(op, {table, positions}, y, [ids = c.keep(ids), position, mask, s, n, d](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    const auto dropped = [&](Index i, Index j) {
      const Index at = i * d + j;
      return mask ? mask(at, dy[at]) : dy[at];
    };
    scatter_add(
        back.optional_sink(0), n, [&](Index i) { return position[i] < 0 ? -1 : ids[i]; },
        [&](Index i, Index j) { return s * dropped(i, j); });
    scatter_add(
        back.optional_sink(1), n, [&](Index i) { return position[i]; }, dropped);
  });
}

}  // namespace

template <class T>
Variable<T> embed_tokens(const Variable<T>& table, std::span<const int> ids, double factor,
                         const Variable<T>& positions, double dropout, const RowLayout& layout) {
  return embed_rows<T>(table, ids, factor, positions, dropout, layout);
}

template <class T>
Variable<T> embed_tokens(const Variable<T>& table, std::span<const int> ids, double factor, double dropout,
                         const RowLayout& layout) {
  return embed_rows<T>(table, ids, factor, {}, dropout, layout);
}

template <class T>
Variable<T> gather(const Variable<T>& x, std::span<const int> indices) {
  Context<T>& c = context_of("gather", {x});
  const Tensor<const T> in = c.read(x);
  const Index rows = in.rows(), cols = in.cols(), count = std::ssize(indices);
  if (in.shape.rank() == 0 || (rows == 0 ? count != 0 : count % rows != 0))
    fail("gather", "expected a multiple of {} indices (the rows of {}); got {}", rows, in.shape, count);
  for (Index i = 0; i < count; ++i)
    if (const int index = indices[static_cast<std::size_t>(i)]; index < 0 || index >= cols)
      fail("gather", "expected indices in [0, {}) (the columns of {}); got {} at {}", cols, in.shape, index, i);
  const std::span<const int> at = c.keep(indices);
  const Tensor<T> y = c.tensor(rows == 0 ? in.shape : in.shape.with(-1, count / rows));
  const auto for_each_index = [width = y.cols(), rows](const auto& f) {
    kernels::for_each_row(rows, width, [&](Index row) {
      for (Index i = row * width; i < (row + 1) * width; ++i) f(row, i);
    });
  };
  for_each_index([&](Index row, Index i) { y[i] = in.row(row)[at[i]]; });

  return c.record("gather", {x}, y, [at, for_each_index](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    const Tensor<T> dx = back.sink(0).zeroed();
    for_each_index([&](Index row, Index i) { dx.row(row)[at[i]] += dy[i]; });  // a row may repeat an index
  });
}

#define GLOSSA_INSTANTIATE(T)                                                                                     \
  template Variable<T> gather(const Variable<T>&, std::span<const int>);                                          \
  template Variable<T> embedding(const Variable<T>&, std::span<const int>);                                       \
  template Variable<T> index_select(const Variable<T>&, std::span<const int>);                                    \
  template Variable<T> embed_tokens(const Variable<T>&, std::span<const int>, double, const Variable<T>&, double, \
                                    const RowLayout&);                                                            \
  template Variable<T> embed_tokens(const Variable<T>&, std::span<const int>, double, double, const RowLayout&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
