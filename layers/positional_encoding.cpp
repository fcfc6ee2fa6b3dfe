#include "layers/positional_encoding.h"

#include <cmath>

#include "layers/init.h"

namespace glossa {

std::vector<double> sinusoidal_positions(Index positions, Index width, Sinusoid order) {
  check(width >= 2 && width % 2 == 0, "positional_encoding", "expected an even width; got {}", width);
  const Index half = width / 2;
  std::vector<double> table(static_cast<std::size_t>(positions * width));
  for (Index p = 0; p < positions; ++p)
    for (Index i = 0; i < half; ++i) {
      const double exponent = order == Sinusoid::interleaved
                                  ? 2.0 * static_cast<double>(i) / static_cast<double>(width)
                                  : static_cast<double>(i) / std::max(1.0, static_cast<double>(half - 1));
      const double angle = static_cast<double>(p) * std::pow(10000.0, -exponent);
      double* const row = table.data() + p * width;
      row[order == Sinusoid::interleaved ? 2 * i : i] = std::sin(angle);
      row[order == Sinusoid::interleaved ? 2 * i + 1 : half + i] = std::cos(angle);
    }
  return table;
}

template <class T>
PositionalEncoding<T> PositionalEncoding<T>::sinusoidal(Index positions, Index width, Sinusoid order) {
  const std::vector<double> exact = sinusoidal_positions(positions, width, order);
  PositionalEncoding result;
  result.table_ = std::make_shared<const std::vector<T>>(exact.begin(), exact.end());
  result.shape_ = {positions, width};
  return result;
}

template <class T>
PositionalEncoding<T> PositionalEncoding<T>::learned(ParameterStore<T>& store, const std::string& scope,
                                                     Index positions, Index width) {
  PositionalEncoding result;
  result.weight_ =
      &store.declare(scope + ".weight", {positions, width}, init::normal(1 / std::sqrt(static_cast<double>(width))));
  return result;
}

template <class T>
Variable<T> PositionalEncoding<T>::operator()(Context<T>& context) const {
  if (weight_) return context.parameter(*weight_);
  // Constants are never written to.
  return context.constant({const_cast<T*>(table_->data()), shape_});
}

template class PositionalEncoding<float>;
template class PositionalEncoding<double>;

}  // namespace glossa
