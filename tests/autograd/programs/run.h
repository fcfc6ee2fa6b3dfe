#pragma once

#include <map>
#include <string>
#include <vector>

#include "autograd/context.h"
#include "tests/autograd/programs/program.h"

namespace glossa::programs {

/// A program's initial numbers, in memory of their own and in a parameter store. They outlive the program's steps.
template <class T>
class Leaves {
 public:
  /// Declares the parameters of the program's "declare" lines.
  explicit Leaves(const Program& program);

  /// The numbers of a leaf whose arguments are (positive, seed): uniform in [-1, 1) or, if positive, in [0.5, 1.5).
  Tensor<T> numbers(int line, const Instruction& instruction);

  Parameter<T>& whole(int line) { return *declared_.at(line).whole; }
  Parameter<T>& part(int line, int which);
  ParameterStore<T>& store() { return store_; }

 private:
  struct Declared {
    Parameter<T>* whole = nullptr;
    Parameter<T>* parts[2] = {};
  };

  Arena memory_;
  std::map<int, Tensor<T>> numbers_;
  std::map<int, Declared> declared_;
  ParameterStore<T> store_;
};

/// A value or gradient as a run observed it: its bits, or an Error's text.
struct Observation {
  std::string what, bits, error;

  /// True if the engine reported that a value's memory was reused.
  bool is_refused() const { return error.find("still in memory") != std::string::npos; }
};

/// Execution of a program, for several steps of a context.
template <class T>
class Run {
 public:
  Run(const Program& program, Leaves<T>& leaves, Context<T>& context, Precision precision = Precision::full)
      : program_(program), leaves_(leaves), context_(context), precision_(precision) {}

  void begin(int step);

  /// Runs a line if all its operands exist; returns true if its result then exists.
  bool execute(int line);

  /// Forgets the results of all lines from `line` on, as if they had not run.
  void forget_from(int line) { results_.resize(line); }

  /// Ends a step: observes all remaining values, gradients and held tensors.
  void finish();

  /// Calls begin, execute and finish for all steps.
  void execute_all();

  bool has(int line) const { return line >= 0 && line < std::ssize(results_) && results_[line].is_there; }
  const Variable<T>& variable(int line) const { return results_[line].variable; }
  void set_variable(int line, const Variable<T>& variable);

  // --- For calls ---

  const Program& program() const { return program_; }
  Leaves<T>& leaves() { return leaves_; }
  Context<T>& context() { return context_; }
  Arena& memory() { return memory_; }

  void see(const std::string& what, std::span<const T> numbers);

  /// Simulates a user who keeps `tensor`: from now on it must not change in this step.
  void hold(int line, const Tensor<const T>& tensor);

  void backward(int line, const Variable<T>& root, const Tensor<T>& cotangent, bool keep_graph);

  /// A fault that is recognized without comparison with other runs; or empty.
  std::string complaint;

  // --- Results ---

  const std::vector<Observation>& observations() const { return observations_; }

  /// The first line that the engine refused to run because the memory of a value that it reads was reused; or -1.
  int refused_line() const { return refused_line_; }

 private:
  struct Result {
    bool is_there = false;
    Variable<T> variable{};
  };
  struct Held {
    int line;
    Tensor<const T> tensor;
    std::string bits;
  };

  template <class F>
  bool attempt(const std::string& what, const F& f);
  void see_gradients(const std::string& when);

  const Program& program_;
  Leaves<T>& leaves_;
  Context<T>& context_;
  const Precision precision_;
  Arena memory_;  // for a step's layouts, ids and masks
  std::vector<Result> results_;
  std::vector<Held> held_;
  std::vector<Observation> observations_;
  int refused_line_ = -1;
  bool broken_ = false;  // a derivative threw, so the gradients of this step are unknown
};

}  // namespace glossa::programs
