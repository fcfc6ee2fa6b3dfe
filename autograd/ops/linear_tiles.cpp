#include "autograd/linear_tiles.h"

#include "autograd/ops/linear_product.h"

namespace glossa {

template <class T>
void linear_tiles(const Variable<T>& x, const Variable<T>& weight, const std::optional<Variable<T>>& bias,
                  const std::function<void(const kernels::Tile<T>&)>& use) {
  const char* const op = "linear_tiles";
  constexpr Index max_rows = 256;
  Context<T>& c = context_of<T>(op, {x, weight, bias});
  const Shape &in = x.shape(), &w = weight.shape();
  check(in.rank() == 2 && w.rank() == 2 && in.cols() == w.cols(), op,
        "expected x [N, I] and weight [O, I]; got {} and {}", in, w);
  const kernels::AddBias<T> add_bias{read_bias(c, op, bias, w)};
  const auto finish = [&](const kernels::Tile<T>& tile) {
    add_bias(tile);
    use(tile);
  };
  const auto run = [](const void* closure, const kernels::Tile<T>& tile) {
    (*static_cast<const decltype(finish)*>(closure))(tile);
  };
  const kernels::Factor<T> left = c.factor(x);
  const Arena::Mark scratch = c.scratch_mark();
  const kernels::Factor<T> right = transposed_weight(c, in.rows(), weight);
  const kernels::TiledProduct<T> product(in.rows(), w.rows(), w.cols(), left, right, T{0}, {nullptr, w.rows()},
                                         c.precision(), {&finish, run},
                                         {std::clamp<Index>(in.rows(), 1, max_rows), linear_tile_columns});
  parallel_for(product.count(), [&](Index tile) { product.compute(tile); });
}

template void linear_tiles(const Variable<float>&, const Variable<float>&, const std::optional<Variable<float>>&,
                           const std::function<void(const kernels::Tile<float>&)>&);
template void linear_tiles(const Variable<double>&, const Variable<double>&, const std::optional<Variable<double>>&,
                           const std::function<void(const kernels::Tile<double>&)>&);

}  // namespace glossa
