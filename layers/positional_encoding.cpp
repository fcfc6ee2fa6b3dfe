#include "layers/positional_encoding.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "layers/init.h"

namespace glossa {

namespace {

/// Exponent e in a column's frequency 10000^-e. `sines` is the number of sines, if they come first.
double exponent(Index column, Index width, Index sines, Sinusoid order) {
  const double d = static_cast<double>(width);
  switch (order) {
    case Sinusoid::interleaved:
      return static_cast<double>(column - column % 2) / d;
    case Sinusoid::halves:
      return static_cast<double>(column % sines) / std::max(1.0, static_cast<double>(sines) - 1);
    case Sinusoid::raw_index:
      return 2 * static_cast<double>(column) / d;
    case Sinusoid::sorted:
      return 2 * static_cast<double>(column % sines) / d;
  }
  fail("positional_encoding", "expected a known order of sinusoids; got number {}", static_cast<int>(order));
}

}  // namespace

std::vector<double> sinusoidal_positions(Index positions, Index width, Sinusoid order) {
  check(width >= 1, "positional_encoding", "expected a width of at least 1; got {}", width);
  const bool in_halves = order == Sinusoid::halves || order == Sinusoid::sorted;
  const Index sines = order == Sinusoid::halves ? width / 2 : (width + 1) / 2;
  const Index used = order == Sinusoid::halves ? 2 * sines : width;  // further columns stay 0
  std::vector<double> table(static_cast<std::size_t>(positions * width));
  for (Index p = 0; p < positions; ++p)
    for (Index j = 0; j < used; ++j) {
      const double angle = static_cast<double>(p) * std::pow(10000.0, -exponent(j, width, sines, order));
      const bool is_sine = in_halves ? j < sines : j % 2 == 0;
      table[p * width + j] = is_sine ? std::sin(angle) : std::cos(angle);
    }
  return table;
}

void check_positions(const char* where, const RowLayout& layout, Index available) {
  for (const RowSpan& sequence : layout.sequences) {
    const Index end = layout.first_position + sequence.length;
    check(end <= available, where,
          "expected sequences of at most {} tokens; got one of {}. Hint: use more positions, or shorter sequences",
          available, end);
  }
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
  result.weight_ = &store.declare(in_scope(scope, "weight"), {positions, width},
                                  init::normal(1 / std::sqrt(static_cast<double>(width))));
  return result;
}

template <class T>
Variable<T> PositionalEncoding<T>::operator()(Context<T>& context) const {
  if (weight_) return context.parameter(*weight_);
  // Constants are never written.
  return context.constant({table_->data(), shape_});
}

template <class T>
Variable<T> PositionalEncoding<T>::operator()(const Variable<T>& x, const RowLayout& layout) const {
  check_layout("positional_encoding", layout, x.shape());
  Context<T>& c = x.context();
  const Variable<T> table = (*this)(c);
  const std::span<int> positions = c.template array<int>(layout.rows);
  std::ranges::fill(positions, 0);  // gap rows may have any position
  check_positions("positional_encoding", layout, table.shape().rows());
  for (const auto [offset, length] : layout.sequences)
    for (Index t = 0; t < length; ++t) positions[offset + t] = static_cast<int>(layout.first_position + t);
  return add(x, index_select(table, std::span<const int>(positions)));
}

template class PositionalEncoding<float>;
template class PositionalEncoding<double>;

}  // namespace glossa
