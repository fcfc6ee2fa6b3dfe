#pragma once

#include <limits>
#include <span>
#include <vector>

#include "autograd/rows.h"
#include "base/random.h"
#include "tests/autograd/programs/run.h"

namespace glossa::programs {

/// Draws numbers in [-1, 1) or, if `positive`, in [0.5, 1.5).
template <class T>
void fill_uniformly(std::span<T> values, bool positive, int seed) {
  RandomStream random(seed, "numbers");
  for (T& value : values) {
    const double u = random.bits() * 0x1p-32;
    value = static_cast<T>(positive ? 0.5 + u : 2 * u - 1);
  }
}

/// The arguments of an op when one of its lines runs: the operands, the numbers, and tensors made from them. Memory
/// that it returns lives as long as the step.
template <class T>
class Call {
 public:
  Call(Run<T>& run, int line) : run_(run), line_(line), instruction_(run.program().lines[line]) {}

  const Variable<T>& operator[](int i) const { return run_.variable(instruction_.operands.at(i)); }
  std::vector<Variable<T>> all() const {
    std::vector<Variable<T>> variables;
    for (const int operand : instruction_.operands) variables.push_back(run_.variable(operand));
    return variables;
  }
  int line() const { return line_; }
  int operand(int i) const { return instruction_.operands.at(i); }
  int number(int i) const { return instruction_.numbers.at(i); }
  double eighths(int i) const { return number(i) / 8.0; }
  const Shape& shape() const { return instruction_.shape; }

  Run<T>& run() { return run_; }
  Context<T>& context() { return run_.context(); }
  Leaves<T>& leaves() { return run_.leaves(); }
  Tensor<T> no_tensor() const { return {}; }
  Tensor<T> leaf() { return run_.leaves().numbers(line_, instruction_); }

  void hold(const Tensor<const T>& tensor) { run_.hold(line_, tensor); }
  void see(const char* what, double number) {
    const T seen = static_cast<T>(number);
    run_.see(fmt::format("{} of x{}", what, line_), {&seen, 1});
  }
  void backward(const Variable<T>& root, const Tensor<T>& cotangent, bool keep_graph) {
    run_.backward(line_, root, cotangent, keep_graph);
  }

  std::string& complaint() { return run_.complaint; }

  /// A tensor of numbers in [-1, 1), keyed by number i.
  Tensor<T> cotangent(int i, const Shape& shape) {
    const Tensor<T> cotangent{memory<T>(shape.size()).data(), shape};
    fill_uniformly(cotangent.span(), 0, number(i));
    return cotangent;
  }

  /// A layout of 1 + number(0) sequences. The bits of number(style_at) add features. Bit 0: a gap after each sequence
  /// of more than one row; 1: sequence ids; 2: positions that start at 2; 3: an empty sequence.
  RowLayout layout(Index rows, int style_at = 1) {
    const Index count = 1 + number(0);
    const int style = number(style_at);
    const auto sequences = memory<RowSpan>(count);
    for (Index b = 0; b < count; ++b) {
      const Index begin = rows * b / count, length = rows * (b + 1) / count - begin;
      sequences[b] = {begin, length > 1 ? length - style % 2 : length};
    }
    if (style / 8 % 2) sequences[count / 2].length = 0;
    const auto ids = memory<std::uint32_t>(style / 2 % 2 * count);
    for (std::size_t b = 0; b < ids.size(); ++b) ids[b] = static_cast<std::uint32_t>(7 * b + 1);
    return {.rows = rows, .sequences = sequences, .sequence_ids = ids, .first_position = style / 4 % 2 * 2};
  }

  /// `count` numbers in {lowest, ..., lowest + below - 1}, keyed by number i.
  std::span<const int> ids(int i, Index count, Index below, int lowest = 0) {
    check(below > 0, "ids", "expected rows to choose from; got none");
    RandomStream random(number(i), "ids");
    const auto ids = memory<int>(count);
    for (int& id : ids) id = lowest + static_cast<int>(random.below(static_cast<std::uint64_t>(below)));
    return ids;
  }

  /// `count` random conditions, keyed by number i.
  std::span<const bool> conditions(int i, Index count) {
    RandomStream random(number(i), "conditions");
    const auto conditions = memory<bool>(count);
    for (bool& condition : conditions) condition = random.below(3) == 0;
    return conditions;
  }

  /// An additive mask [queries, keys] that blocks some keys, keyed by number i; null if number i is 0.
  const Tensor<T>* mask(int i, Index queries, Index keys) {
    if (number(i) == 0) return nullptr;
    mask_ = {memory<T>(queries * keys).data(), {queries, keys}};
    const std::span<const bool> blocked = conditions(i, queries * keys);
    for (Index k = 0; k < mask_.size(); ++k) mask_[k] = blocked[k] ? -std::numeric_limits<T>::infinity() : T(0.25);
    return &mask_;
  }

 private:
  template <class E>
  std::span<E> memory(Index count) {
    return run_.memory().template zeros<E>(count);
  }

  Run<T>& run_;
  const int line_;
  const Instruction& instruction_;
  Tensor<T> mask_;
};

}  // namespace glossa::programs
