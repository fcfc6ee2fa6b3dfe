#include "tests/autograd/programs/run.h"

#include "tests/autograd/programs/call.h"
#include "tests/autograd/programs/program_op.h"

namespace glossa::programs {

namespace {

template <class T>
std::string bits_of(std::span<const T> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

template <class T>
Leaves<T>::Leaves(const Program& program) {
  for (int i = 0; i < std::ssize(program.lines); ++i) {
    const Instruction& line = program.lines[i];
    if (line.op->name != "declare") continue;
    const int rows_of_first = line.numbers.at(0), frozen = line.numbers.at(1), seed = line.numbers.at(2);
    const auto initial = [seed](std::span<double> values, const Shape&, RandomStream&) {
      fill_uniformly(values, false, seed);
    };
    Declared& declared = declared_[i];
    declared.whole = &store_.declare(fmt::format("x{:03}", i), line.shape, initial);
    declared.whole->trainable = !frozen;
    if (rows_of_first == 0) continue;
    declared.parts[0] = &store_.part(*declared.whole, 0, rows_of_first);
    declared.parts[1] = &store_.part(*declared.whole, rows_of_first, line.shape[0]);
  }
  store_.allocate(1);
}

template <class T>
Parameter<T>& Leaves<T>::part(int line, int which) {
  Parameter<T>* const part = declared_.at(line).parts[which];
  check(part != nullptr, "part", "expected a parameter in parts; got a whole one");
  return *part;
}

template <class T>
Tensor<T> Leaves<T>::numbers(int line, const Instruction& instruction) {
  Tensor<T>& numbers = numbers_[line];
  if (numbers.data == nullptr) {
    numbers = {memory_.allocate_array<T>(instruction.shape.size()), instruction.shape};
    fill_uniformly(numbers.span(), instruction.numbers.at(0) != 0, instruction.numbers.at(1));
  }
  return numbers;
}

template <class T>
void Run<T>::begin(int step) {
  context_.begin({.training = true, .update = static_cast<std::uint64_t>(step), .precision = precision_});
  results_.clear();
  held_.clear();
  memory_.reset();
  broken_ = false;
  if (step == 0) leaves_.store().clear_grads();  // the steps to come add up
}

template <class T>
template <class F>
bool Run<T>::attempt(const std::string& what, const F& f) {
  try {
    f();
    return true;
  } catch (const Error& error) {
    observations_.push_back({what, "", error.what()});
    return false;
  }
}

template <class T>
bool Run<T>::execute(int i) {
  const Instruction& line = program_.lines[i];
  if (broken_ || !std::ranges::all_of(line.operands, [&](int operand) { return operand < i && has(operand); }))
    return false;
  const bool done = attempt(fmt::format("x{} = {}", i, line.op->name), [&] {
    Call<T> call(*this, i);
    if constexpr (std::is_same_v<T, float>)
      set_variable(i, line.op->in_float(call));
    else
      set_variable(i, line.op->in_double(call));
  });
  if (!done && refused_line_ < 0 && observations_.back().is_refused()) refused_line_ = i;
  return done;
}

template <class T>
void Run<T>::set_variable(int i, const Variable<T>& variable) {
  if (std::ssize(results_) <= i) results_.resize(i + 1);
  results_[i] = {true, variable};
}

template <class T>
void Run<T>::finish() {
  if (!broken_) see_gradients("in the end");
  for (int i = 0; i < std::ssize(results_); ++i) {
    if (!has(i)) continue;
    const std::string what = fmt::format("x{} in the end", i);
    const bool seen = attempt(what, [&] { see(what, variable(i).value().span()); });
    if (!seen && program_.lines[i].op->name == "value")
      complaint = fmt::format("x{} cannot be read in the end, though it was handed out", i);
  }
  for (const Held& held : held_)
    if (bits_of<T>(held.tensor.span()) != held.bits)
      complaint = fmt::format("the tensor that x{} handed out is another one in the end", held.line);
}

template <class T>
void Run<T>::execute_all() {
  for (int step = 0; step < program_.steps; ++step) {
    begin(step);
    for (int i = 0; i < std::ssize(program_.lines); ++i) execute(i);
    finish();
  }
}

template <class T>
void Run<T>::see(const std::string& what, std::span<const T> numbers) {
  observations_.push_back({what, bits_of(numbers), ""});
}

template <class T>
void Run<T>::hold(int line, const Tensor<const T>& tensor) {
  see(fmt::format("the tensor that x{} handed out", line), tensor.span());
  held_.push_back({line, tensor, observations_.back().bits});
}

template <class T>
void Run<T>::see_gradients(const std::string& when) {
  for (int i = 0; i < std::ssize(results_); ++i) {
    if (!has(i) || !program_.lines[i].op->keeps_gradient || !variable(i).requires_grad()) continue;
    const std::string what = fmt::format("gradient of x{} {}", i, when);
    attempt(what, [&] { see(what, Tensor<const T>(variable(i).grad()).span()); });
  }
  for (const Parameter<T>* parameter : leaves_.store().parameters())
    if (parameter->has_grad() && std::ranges::all_of(parameter->parts, &Parameter<T>::has_grad))
      see(fmt::format("gradient of {} {}", parameter->name, when), Tensor<const T>(parameter->grad_tensor()).span());
}

template <class T>
void Run<T>::backward(int line, const Variable<T>& root, const Tensor<T>& cotangent, bool keep_graph) {
  try {
    context_.backward(root, cotangent, keep_graph);
  } catch (const Error& error) {
    broken_ = !std::string_view(error.what()).starts_with("[backward]");  // which has done nothing yet
    throw;
  }
  see_gradients(fmt::format("after x{}", line));
}

template class Leaves<float>;
template class Leaves<double>;
template class Run<float>;
template class Run<double>;

}  // namespace glossa::programs
