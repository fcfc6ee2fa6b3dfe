#pragma once

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cmath>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "autograd/parameter.h"
#include "autograd/rows.h"
#include "base/safetensors.h"

namespace glossa::testing {

/// Maximum error of a tensor's numbers, relative to the largest magnitude in the golden tensor.
template <class T>
inline constexpr double golden_limit = std::is_same_v<T, double> ? 1e-10 : 1e-5;

/// Tensors computed by another program: tests/golden/FILE.safetensors.
template <class T>
class Golden {
 public:
  explicit Golden(const std::string& file)
      : reader_(std::string(GLOSSA_SOURCE_DIR "/tests/golden/") + file + ".safetensors") {}

  /// The tensor of that name; its memory lives as long as this object.
  Tensor<T> tensor(const std::string& name) const {
    std::vector<T>& values = memory_.emplace_back(reader_.read<T>(name));
    return {values.data(), shape(name)};
  }

  std::vector<double> doubles(const std::string& name) const { return reader_.read<double>(name); }

  double number(const std::string& name) const { return doubles(name).at(0); }

  std::vector<int> ints(const std::string& name) const {
    const std::vector<double> values = doubles(name);
    return {values.begin(), values.end()};
  }

  /// The names that begin with `prefix`, returned without the prefix.
  std::vector<std::string> names(const std::string& prefix) const {
    std::vector<std::string> result;
    for (const auto& [name, entry] : reader_.entries())
      if (name.starts_with(prefix)) result.push_back(name.substr(prefix.size()));
    return result;
  }

  /// Sets all parameters to the golden values under `prefix`. Every such tensor must belong to a parameter, and every
  /// parameter needs a tensor.
  void assign(const std::string& prefix, ParameterStore<T>& store) const {
    CHECK_EQ(names(prefix).size(), store.parameters().size());
    for (const Parameter<T>* parameter : store.parameters()) {
      const Tensor<T> golden = tensor(prefix + parameter->name);
      REQUIRE_EQ(golden.shape.str(), parameter->value.shape.str());
      std::copy_n(golden.data, golden.size(), parameter->value.data);
    }
  }

  /// Compares numbers with the golden tensor of that name, except where `skip(index)` is true.
  template <class Skip>
  void check(const std::string& name, const Tensor<const T>& got, double limit, const Skip& skip) const {
    const std::vector<double> golden = doubles(name);
    INFO("golden tensor ", name);
    REQUIRE_EQ(got.shape.str(), shape(name).str());
    double largest = std::numeric_limits<double>::min(), worst = 0;
    Index at = 0;
    for (Index i = 0; i < got.size(); ++i) {
      const double wanted = golden[static_cast<std::size_t>(i)];
      const double difference = std::abs(static_cast<double>(got[i]) - wanted);
      largest = std::max(largest, std::abs(wanted));
      if (skip(i) || difference <= worst) continue;
      worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
      at = i;
    }
    const double error = worst / largest;
    if (got.size() == 0) return;
    INFO("at ", at, ": got ", static_cast<double>(got[at]), ", golden ", golden[static_cast<std::size_t>(at)]);
    CHECK_LE(error, limit);
  }

  void check(const std::string& name, const Tensor<const T>& got, double limit = golden_limit<T>) const {
    check(name, got, limit, [](Index) { return false; });
  }

 private:
  Shape shape(const std::string& name) const {
    const std::vector<std::uint64_t>& dims = reader_.entries().at(name).shape;
    Shape result;
    for (const std::uint64_t dim : dims) result = result.inserted(result.rank(), static_cast<Index>(dim));
    return result;
  }

  SafetensorsReader reader_;
  mutable std::deque<std::vector<T>> memory_;
};

/// Layout of consecutive sequences with the given lengths.
class Sequences {
 public:
  explicit Sequences(const std::vector<int>& lengths) {
    for (const int length : lengths) {
      spans_.push_back({rows_, length});
      rows_ += length;
    }
  }

  RowLayout layout() const { return {.rows = rows_, .sequences = spans_}; }

 private:
  std::vector<RowSpan> spans_;
  Index rows_ = 0;
};

}  // namespace glossa::testing
