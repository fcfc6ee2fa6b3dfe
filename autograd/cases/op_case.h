#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autograd/ops.h"

namespace glossa {

template <class T>
using Inputs = std::span<const Variable<T>>;

/// Shape and sample numbers of an input. The numbers are `values` if given. Otherwise they are uniform in [low, high)
/// and at least 1/16 away from each of the `kinks`.
struct CaseInput {
  CaseInput(std::initializer_list<Index> extents) : shape(extents) {}
  explicit CaseInput(const Shape& extents) : shape(extents) {}

  CaseInput in(double from, double to) && {
    low = from;
    high = to;
    return std::move(*this);
  }
  CaseInput away_from(std::vector<double> points) && {
    kinks = std::move(points);
    return std::move(*this);
  }
  CaseInput of(std::vector<double> numbers) && {
    values = std::move(numbers);
    return std::move(*this);
  }
  /// Marks an input whose gradient is exactly zero although the value depends on it (stop_gradient).
  CaseInput stopped() && {
    is_stopped = true;
    return std::move(*this);
  }

  Shape shape;
  double low = -2, high = 2;
  std::vector<double> kinks, values;
  bool is_stopped = false;
};

/// A call that must throw Error. The message must contain the op's name and `words`.
struct ErrorRow {
  std::vector<Shape> shapes;
  std::function<void(Inputs<double>)> call;  // the call that must throw; null: the op's call in the row of the table
  std::vector<std::string> words;
};

/// The inputs' numbers in flat order.
using InputNumbers = std::span<const Tensor<double>>;

/// Computes an op's value in plain loops.
using Reference = std::function<std::vector<double>(InputNumbers)>;

/// The function that a row checks; its parameters are in a sample's store.
template <class T>
using CaseFunction = std::function<Variable<T>(Context<T>&, Inputs<T>)>;

/// One row of a table of gradient checks. Its builders `in_double` and `in_float` declare any parameters in a store and
/// return the function to check.
struct SampleCase {
  std::string name;  // "softmax.masked_row": op or layer, dot, variant
  std::vector<CaseInput> inputs;
  std::function<CaseFunction<double>(ParameterStore<double>&)> in_double;
  std::function<CaseFunction<float>(ParameterStore<float>&)> in_float;
  Index max_elements = 0;  // number of elements per tensor to check by differences; 0: all
  double limit = 1e-8;     // largest error of a gradient in double, compared with differences
  double floor = 0.1;      // see GradCheckOptions

  /// Name of the op or layer.
  std::string subject() const { return name.substr(0, name.find('.')); }
};

/// One row of the table of ops: everything that check_case needs to test an op on one kind of input.
struct OpCase : SampleCase {
  Reference reference_value = nullptr;
  std::vector<ErrorRow> errors = {};
  bool zero_gradient = false;  // true: every gradient is meant to be exactly zero
  bool allocates = false;      // true: the op returns heap memory, so a step may allocate
  bool double_only = false;    // true: the case has numbers that float cannot hold

  OpCase& reference(Reference value) {
    reference_value = std::move(value);
    return *this;
  }
  OpCase& error(std::vector<Shape> shapes, std::function<void(Inputs<double>)> call, std::vector<std::string> words) {
    errors.push_back({std::move(shapes), std::move(call), std::move(words)});
    return *this;
  }
  /// Expects the row's own call to throw for inputs of these shapes.
  OpCase& error(std::vector<Shape> shapes, std::vector<std::string> words) {
    return error(std::move(shapes), nullptr, std::move(words));
  }
  OpCase& with_zero_gradient() {
    zero_gradient = true;
    return *this;
  }
  OpCase& returning_heap_memory() {
    allocates = true;
    return *this;
  }
  OpCase& in_double_only() {
    double_only = true;
    return *this;
  }
  /// Checks only `elements` elements per tensor. Meant for large inputs, which ops divide among threads.
  OpCase& sampling(Index elements) {
    max_elements = elements;
    limit = 1e-7;  // sums of many numbers have larger rounding errors
    return *this;
  }
};

/// Makes a row from one generic callable: `call(x)` takes the input variables x, in float or double.
template <class Call>
OpCase op_case(std::string name, std::vector<CaseInput> inputs, Call call) {
  const auto build = [call]<class T>(ParameterStore<T>&) {
    return [call](Context<T>&, Inputs<T> x) { return call(x); };
  };
  return {{.name = std::move(name), .inputs = std::move(inputs), .in_double = build, .in_float = build}};
}

/// A table under construction. `add` makes a row as op_case does, and returns a reference to it for further settings.
/// The reference is valid until the next row is added.
struct OpCases {
  template <class Call>
  OpCase& add(std::string name, std::vector<CaseInput> inputs, Call call) {
    return rows.emplace_back(op_case(std::move(name), std::move(inputs), call));
  }

  /// Returns a function that adds a row of one op, call and reference: row(variant, inputs).
  template <class Call>
  auto rows_of(std::string op, Call call, Reference reference) {
    return [=, this](const char* variant, std::vector<CaseInput> inputs) -> OpCase& {
      return add(op + "." + variant, std::move(inputs), call).reference(reference);
    };
  }

  std::vector<OpCase> rows;
};

/// All rows of the table, one family of ops after another.
const std::vector<OpCase>& op_cases();

/// Adds one family's rows. Rows of linear_relu are in add_product_cases.
using AddCases = void(OpCases& cases);

AddCases add_arithmetic_cases, add_pointwise_cases, add_activation_cases, add_gated_cases, add_product_cases,
    add_reduction_cases, add_softmax_cases, add_layer_norm_cases, add_rms_norm_cases, add_selection_cases,
    add_pooling_cases, add_masking_cases, add_dropout_cases, add_shaping_cases, add_rotary_cases, add_attention_cases,
    add_cross_entropy_cases;

}  // namespace glossa
