#include <cstdio>
#include <exception>
#include <vector>

#include "autograd/operators.h"

using namespace glossa;

int main() try {
  std::vector<double> x_numbers{1, 2}, w_numbers{1, 0, 0.5, -1}, target_numbers{1, 0};
  const Tensor<double> x_tensor{x_numbers, {1, 2}}, w_tensor{w_numbers, {2, 2}};
  const Tensor<double> target_tensor{target_numbers, {1, 2}};
  Context<double> context;

  // The loss (x w - target)^2, summed. An input is a leaf with a gradient, a constant a leaf without.
  const auto loss_of = [&](const Variable<double>& x, const Variable<double>& w) {
    return sum(square(matmul(x, w) - context.constant(target_tensor)));
  };
  const auto loss_value = [&] {
    context.begin({});
    return loss_of(context.input(x_tensor), context.input(w_tensor)).value()[0];
  };

  context.begin({});
  const Variable<double> x = context.input(x_tensor), w = context.input(w_tensor);
  const Variable<double> loss = loss_of(x, w);
  std::printf("loss %.3f\ntape:", loss.value()[0]);
  for (int i = 0; i < context.tape().size(); ++i) std::printf(" %s", context.tape().node(i).op);

  context.backward(loss);
  const std::vector<double> dw(w.grad().span().begin(), w.grad().span().end());
  std::printf("\ndx: %.3f %.3f\n", x.grad()[0], x.grad()[1]);
  std::printf("dw: %.3f %.3f\n    %.3f %.3f\n", dw[0], dw[1], dw[2], dw[3]);

  // A witness that needs no calculus: move one weight a little to either side.
  const double step = 1e-4;
  w_numbers[1] = 0 + step;
  const double above = loss_value();
  w_numbers[1] = 0 - step;
  const double below = loss_value();
  w_numbers[1] = 0;
  std::printf("dw[0][1] by differences: %.3f\n", (above - below) / (2 * step));

  // One step of learning: down the gradient.
  const double rate = 0.1;
  for (std::size_t i = 0; i < w_numbers.size(); ++i) w_numbers[i] -= rate * dw[i];
  std::printf("w after a step of %g: %.1f %.1f  %.1f %.1f\n", rate, w_numbers[0], w_numbers[1], w_numbers[2],
              w_numbers[3]);
  std::printf("loss %.3f\n", loss_value());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
