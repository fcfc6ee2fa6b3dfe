#include <algorithm>
#include <cmath>

#include "autograd/kernels/row.h"
#include "autograd/ops.h"
#include "autograd/ops/rounded_rows.h"

namespace glossa {

namespace {

/// Rotates pair i of a head, (x_2i, x_2i+1), by its position's angle: to (+)= (x_2i cos - x_2i+1 sin, x_2i sin + x_2i+1
/// cos). With `direction` -1, rotates back. Unless `add`, `to` may be `x`.
template <class T>
void turn_head(Index pairs, const T* cos, const T* sin, T direction, const T* x, T* to, bool add) {
  const auto turn = [&](const auto& put) {
#pragma omp simd
    for (Index i = 0; i < pairs; ++i) {
      const T a = x[2 * i], b = x[2 * i + 1], s = direction * sin[i];
      put(2 * i, a * cos[i] - b * s);
      put(2 * i + 1, a * s + b * cos[i]);
    }
  };
  if (add)
    turn([to](Index j, T value) { to[j] += value; });
  else
    turn([to](Index j, T value) { to[j] = value; });
}

/// Rotations of a matrix's rows.
template <class T>
struct Turns {
  Tensor<T> cos, sin;         // [P, K/2]: cos and sin of position * base^(-2i/K), for P consecutive positions
  std::span<const Index> at;  // [N]: row of the tables for each row; -1 in gaps
  Index columns, width;       // columns of all heads; width of the matrix

  /// to (+)= row i, passed as `x`, with its heads rotated; zeros for a gap row. Unless `add`, `to` may be `x`.
  void turn(Index i, T direction, const T* x, T* to, bool add) const {
    if (at[i] < 0) return kernels::write_row(width, to, add, [](Index) { return T{0}; });
    const Index pairs = cos.cols();
    for (Index head = 0; head < columns; head += 2 * pairs)
      turn_head(pairs, cos.row(at[i]), sin.row(at[i]), direction, x + head, to + head, add);
    if (to != x) kernels::write(to, columns, width, add, [x](Index j) { return x[j]; });
  }
};

/// Makes the tables for a layout's positions. Angles are computed in double, because float represents large angles too
/// coarsely.
template <class T>
Turns<T> turns_of(Context<T>& c, const RowLayout& layout, Index head_width, double base, Index columns, Index width) {
  const std::span<Index> at = c.template array<Index>(layout.rows);
  std::ranges::fill(at, Index{-1});
  Index positions = 0;
  for (const auto [offset, length] : layout.sequences) {
    positions = std::max(positions, length);
    for (Index t = 0; t < length; ++t) at[offset + t] = t;
  }
  const Index pairs = head_width / 2;
  const std::span<double> frequency = c.template array<double>(pairs);
  for (Index i = 0; i < pairs; ++i) frequency[i] = std::pow(base, -2.0 * double(i) / double(head_width));
  const Turns<T> turns{c.tensor({positions, pairs}), c.tensor({positions, pairs}), at, columns, width};
  constexpr Index cost = 32;  // cost of one angle, in elementwise operations
  kernels::for_each_row(positions, cost * pairs, [&](Index t) {
    for (Index i = 0; i < pairs; ++i) {
      const double angle = double(layout.first_position + t) * frequency[i];
      turns.cos.row(t)[i] = static_cast<T>(std::cos(angle));
      turns.sin.row(t)[i] = static_cast<T>(std::sin(angle));
    }
  });
  return turns;
}

}  // namespace

template <class T>
Variable<T> rotary(const Variable<T>& x, const RowLayout& layout, Index head_width, Index columns, double base,
                   Use use) {
  const char* const op = "rotary";
  Context<T>& c = context_of(op, {x});
  check_layout(op, layout, x.shape());
  const Index width = x.shape().cols();
  check(head_width >= 2 && head_width % 2 == 0, op, "expected heads of an even width; got {}", head_width);
  check(columns >= 0 && columns <= width && columns % head_width == 0, op,
        "expected columns of whole heads of width {}, at most those of {}; got {}", head_width, x.shape(), columns);
  check(std::isfinite(base) && base > 0, op, "expected a finite base above 0; got {}", base);
  const Turns<T> turns = turns_of(c, layout, head_width, base, columns, width);

  // dx = dy with its heads rotated back.
  const auto derivative = [turns](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    const Sink<T> to = back.sink(0);
    kernels::for_each_row(dy, [&](Index i) { turns.turn(i, T{-1}, dy.row(i), to.grad.row(i), to.add); });
  };
  if (use == Use::products && c.rounds({x})) {
    const Bf16* const from = c.factor(x).rounded;
    const Tensor<Bf16> y = c.bf16_tensor(x.shape());
    fill_rounded_rows(c, y, [&](Index i, T* row) {
      widen(width, from + i * width, row);
      turns.turn(i, T{1}, row, row, false);
    });
    return c.record(op, {x}, y, derivative);
  }
  const auto [from, y] = c.take(x);
  kernels::for_each_row(layout.rows, width,
                        [&, from = from, y = y](Index i) { turns.turn(i, T{1}, from.row(i), y.row(i), false); });
  return c.unread(c.record(op, {x}, y, derivative));
}

template Variable<float> rotary(const Variable<float>&, const RowLayout&, Index, Index, double, Use);
template Variable<double> rotary(const Variable<double>&, const RowLayout&, Index, Index, double, Use);

}  // namespace glossa
