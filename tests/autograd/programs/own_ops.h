#pragma once

#include <numeric>
#include <string>

#include "autograd/ops.h"

/// Ops as users may write them; each relies on one promise of the engine.
namespace glossa::programs {

/// x^2, with a copy of x that the derivative releases after reading it.
template <class T>
Variable<T> giving_square(const Variable<T>& x) {
  Context<T>& c = context_of("giving_square", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> kept = c.tensor(in.shape), y = c.tensor(in.shape);
  kernels::map(kept, [&](Index i) { return in[i]; });
  kernels::map(y, [&](Index i) { return in[i] * in[i]; });

  return c.record("giving_square", {x}, y, [kept](Backward<T>& back) {
    back.add(0, [kept, dy = back.dy()](Index i) { return 2 * kept[i] * dy[i]; });
    back.give(kept);
  });
}

/// x + (x + m) m, where m are the means of rows. Holds scratch memory while it calls ops that use scratch memory
/// themselves.
template <class T>
Variable<T> holding_scratch(const Variable<T>& x, std::string& complaint) {
  Context<T>& c = context_of("holding_scratch", {x});
  const Tensor<const T> in = c.read(x);
  const Arena::Mark mark = c.scratch_mark();
  const Tensor<T> held = c.scratch(in.shape), y = c.tensor(in.shape);
  kernels::map(held, [&](Index i) { return in[i]; });
  const Variable<T> means = mean(x, -1, true), inner = mul(add(x, means), means);
  const Tensor<const T> added = c.read(inner);
  for (Index i = 0; i < in.size(); ++i)
    if (held[i] != in[i]) complaint = "scratch that an op holds was overwritten by the ops that it called";
  kernels::map(y, [&](Index i) { return held[i] + added[i]; });

  return c.record("holding_scratch", {x, inner}, y, [](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    const Tensor<T> held = back.scratch(dy.shape);
    kernels::map(held, [&](Index i) { return dy[i]; });
    back.add(0, [held](Index i) { return held[i]; });
    back.add(1, [held](Index i) { return held[i]; });
  });
}

/// Sums of rows, with a wrong derivative: its contribution has the shape of the result, which does not broadcast to
/// that of x.
template <class T>
Variable<T> misshapen_sum(const Variable<T>& x, std::string& complaint) {
  Context<T>& c = context_of("misshapen_sum", {x});
  const Tensor<const T> in = c.read(x);
  check(in.shape.rank() > 0 && in.cols() > 1, "misshapen_sum", "expected rows of two or more; got {}", in.shape);
  const Tensor<T> y = c.tensor(in.shape.without(-1));
  for (Index i = 0; i < y.size(); ++i) y[i] = std::accumulate(in.row(i), in.row(i) + in.cols(), T{0});

  return c.record("misshapen_sum", {x}, y, [&complaint](Backward<T>& back) {
    back.add(0, [dy = back.dy()](Index i) { return dy[i]; });
    complaint = "a gradient was added whose shape does not broadcast";
  });
}

}  // namespace glossa::programs
