#include <algorithm>

#include "autograd/kernels/dropout.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/ops.h"

namespace glossa {

namespace {

template <class T>
void check_ids(const char* op, const Tensor<T>& table, std::span<const int> ids) {
  check(table.shape.rank() == 2, op, "expected a table [V, D]; got {}", table.shape);
  for (std::size_t i = 0; i < ids.size(); ++i)
    check(ids[i] >= 0 && ids[i] < table.rows(), op, "expected ids in [0, {}) for a table {}; got {} at {}",
          table.rows(), table.shape, ids[i], i);
}

std::span<const int> keep_ids(auto& context, std::span<const int> ids) {
  const std::span<int> copy = context.template array<int>(static_cast<Index>(ids.size()));
  std::copy(ids.begin(), ids.end(), copy.begin());
  return copy;
}

/// table[row_of(i)] += f(i, j) for all i in order. Rows repeat, so threads share out the columns, not the rows.
template <class T, class RowOf, class F>
void scatter_add(const Sink<T>& to, Index count, const RowOf& row_of, const F& f) {
  if (!to.add) kernels::map(to.grad, [](Index) { return T{0}; });
  const Index d = to.grad.cols();
  parallel_ranges(d, 64, [&](Index begin, Index end) {
    for (Index i = 0; i < count; ++i) {
      const Index target = row_of(i);
      if (target < 0) continue;
      T* const row = to.grad.row(target);
#pragma omp simd
      for (Index j = begin; j < end; ++j) row[j] += f(i, j);
    }
  });
}

}  // namespace

template <class T>
Variable<T> embedding(const Variable<T>& table, std::span<const int> ids) {
  Context<T>& c = context_of("embedding", {table});
  const Tensor<T> rows = table.value();
  check_ids("embedding", rows, ids);
  const Index n = static_cast<Index>(ids.size()), d = rows.cols();
  const Tensor<T> y = c.tensor({n, d});
  for (Index i = 0; i < n; ++i) std::copy_n(rows.row(ids[i]), d, y.row(i));

  return c.record("embedding", {table}, y, [kept = keep_ids(c, ids), n](Backward<T>& back) {
    const Tensor<T> dy = back.dy();
    scatter_add(
        back.sink(0), n, [&](Index i) { return kept[i]; }, [&](Index i, Index j) { return dy.row(i)[j]; });
  });
}

template <class T>
Variable<T> embed_tokens(const Variable<T>& table, std::span<const int> ids, double factor,
                         const Variable<T>& positions, double p, const RowLayout& layout) {
  Context<T>& c = context_of("embed_tokens", {table, positions});
  const Tensor<T> rows = table.value(), places = positions.value();
  check_ids("embed_tokens", rows, ids);
  const Index n = layout.rows, d = rows.cols();
  check(static_cast<Index>(ids.size()) == n, "embed_tokens", "expected an id for each of the {} rows; got {}", n,
        ids.size());
  check(places.shape.rank() == 2 && places.cols() == d, "embed_tokens", "expected positions [P, {}]; got {}", d,
        places.shape);
  check(p >= 0 && p <= 1, "embed_tokens", "expected a dropout probability in [0, 1]; got {}", p);

  // Position of each row in its sentence; -1 in gaps.
  const std::span<Index> position = c.template array<Index>(n);
  std::fill(position.begin(), position.end(), Index{-1});
  for (const RowSpan& sentence : layout.sentences) {
    check(sentence.offset >= 0 && sentence.length >= 0 && sentence.offset + sentence.length <= n, "embed_tokens",
          "expected sentences within {} rows; got rows {} to {}", n, sentence.offset,
          sentence.offset + sentence.length);
    check(layout.first_position + sentence.length <= places.rows(), "embed_tokens",
          "expected sentences of at most {} tokens (model.max_positions); got one of {}", places.rows(),
          layout.first_position + sentence.length);
    for (Index t = 0; t < sentence.length; ++t) position[sentence.offset + t] = layout.first_position + t;
  }

  std::span<std::uint8_t> mask;
  T keep{1};
  if (c.training() && p > 0) {
    const kernels::DropoutSite site(c.random_key(), c.next_random_site(), p);
    mask = c.template array<std::uint8_t>(n * d);
    kernels::dropout_mask(mask, d, site, layout);
    keep = static_cast<T>(site.keep_scale());
  }
  const Tensor<T> y = c.tensor({n, d});
  const T s = static_cast<T>(factor);
  parallel_ranges(n, 64, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      T* const row = y.row(i);
      if (position[i] < 0) {
        std::fill_n(row, d, T{0});
        continue;
      }
      const T *token = rows.row(ids[i]), *place = places.row(position[i]);
      if (mask.empty())
        for (Index j = 0; j < d; ++j) row[j] = s * token[j] + place[j];
      else
        for (Index j = 0; j < d; ++j) row[j] = mask[i * d + j] ? (s * token[j] + place[j]) * keep : T{0};
    }
  });

  return c.record("embed_tokens", {table, positions}, y,
                  [kept = keep_ids(c, ids), position, mask, keep, s, n, d](Backward<T>& back) {
                    const Tensor<T> dy = back.dy();
                    const auto dropped = [&](Index i, Index j) {
                      const Index at = i * d + j;
                      return mask.empty() ? dy[at] : mask[at] ? dy[at] * keep : T{0};
                    };
                    if (back.needs(0))
                      scatter_add(
                          back.sink(0), n, [&](Index i) { return position[i] < 0 ? -1 : kept[i]; },
                          [&](Index i, Index j) { return s * dropped(i, j); });
                    if (back.needs(1))
                      scatter_add(
                          back.sink(1), n, [&](Index i) { return position[i]; }, dropped);
                  });
}

#define GLOSSA_INSTANTIATE(T)                                                                                     \
  template Variable<T> embedding(const Variable<T>&, std::span<const int>);                                       \
  template Variable<T> embed_tokens(const Variable<T>&, std::span<const int>, double, const Variable<T>&, double, \
                                    const RowLayout&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)

}  // namespace glossa
