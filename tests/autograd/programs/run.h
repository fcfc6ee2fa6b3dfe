#pragma once

#include <map>
#include <string>
#include <vector>

#include "autograd/context.h"
#include "tests/autograd/programs/program.h"

namespace glossa::programs {

/// The numbers that a program starts from, in the caller's memory and in a parameter store. They outlive its steps.
template <class T>
class Leaves {
 public:
  /// Declares what the program's "declare" lines say.
  explicit Leaves(const Program& program);

  /// Of a line whose numbers are (positive?, seed): uniform in [-1, 1), or in [0.5, 1.5).
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

/// What a run saw of a value or a gradient: its bits. Or the text of an Error.
struct Sight {
  std::string what, bits, error;

  /// Whether the engine said that the memory of a value went on to something else.
  bool is_refused() const { return error.find("still there") != std::string::npos; }
};

/// A program on its way through steps of a context.
template <class T>
class Run {
 public:
  Run(const Program& program, Leaves<T>& leaves, Context<T>& context)
      : program_(program), leaves_(leaves), context_(context) {}

  void begin(int step);

  /// Runs a line if all that it reads is there; whether its result is.
  bool execute(int line);

  /// As if the lines from there on had not run.
  void forget_from(int line) { results_.resize(line); }

  /// Looks at everything that is left: values, gradients, tensors handed out.
  void finish();

  /// All three, for all steps.
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

  /// `tensor` is in the hands of a person from now on: it may not change in this step.
  void hold(int line, const Tensor<const T>& tensor);

  void backward(int line, const Variable<T>& root, const Tensor<T>& cotangent, bool keep_graph);

  /// Something that is wrong whatever another run sees.
  std::string complaint;

  // --- What came of it ---

  const std::vector<Sight>& sights() const { return sights_; }

  /// The first line that the engine refused to run, because a value that it reads had lost its memory; or -1.
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
  Arena memory_;  // of a step: layouts, ids, masks
  std::vector<Result> results_;
  std::vector<Held> held_;
  std::vector<Sight> sights_;
  int refused_line_ = -1;
  bool broken_ = false;  // a derivative threw: nothing can be said of the gradients of this step
};

}  // namespace glossa::programs
