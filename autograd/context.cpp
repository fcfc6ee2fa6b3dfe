#include "autograd/context.h"

#include <algorithm>
#include <cmath>

#include "autograd/kernels/bf16/round.h"
#include "autograd/kernels/int8/product.h"

namespace glossa {

namespace {

/// `inputs` has elements Variable<T> or std::optional<Variable<T>>.
template <class T>
Context<T>& common_context(const char* op, const auto& inputs) {
  const auto given = [](const auto& input) -> const Variable<T>* {
    if constexpr (requires { *input; })
      return input ? &*input : nullptr;
    else
      return &input;
  };
  check(std::size(inputs) > 0 && given(*inputs.begin()), op, "expected at least one input; got none");
  Context<T>& context = given(*inputs.begin())->context(op);
  for (const auto& input : inputs)
    check(!given(input) || &given(input)->context(op) == &context, op, "expected inputs of one context; got two");
  return context;
}

}  // namespace

template <class T>
void Context<T>::begin(const StepOptions& options) {
  check(options.precision != Precision::int8 || !options.recording, "context",
        "expected a step without recording in int8, as integers have no gradients; got one that records");
  options_ = options;
  key_ = philox_key(options.seed, options.update.value_or(steps_));
  ++steps_;
  live_.assign(1, {++generations_});
  random_sites_ = 0;
  branches_ = 0;
  first_nonfinite_.clear();
  tape_.clear();
  tape_.set_precision(precision());
  arena_.reset();
  scratch_.reset();
}

template <class T>
void Context<T>::check_begun() const {
  check(steps_ > 0, "context", "expected a step; got none. Hint: call context.begin() for every step");
}

template <class T>
Variable<T> Context<T>::constant(const Tensor<const T>& value) {
  check_begun();
  // The next frame may release a generation only if the kept value is its only value.
  if (live_.back().kept != value.data) live_.back().kept = nullptr;
  return {this, value, -1, generation()};
}

template <class T>
Variable<T> Context<T>::input(const Tensor<const T>& value) {
  check_begun();
  if (!options_.recording) return constant(value);
  return {this, value, tape_.add({.op = "input", .value = value, .keep = true}), generation()};
}

template <class T>
Variable<T> Context<T>::parameter(Parameter<T>& parameter) {
  check_begun();
  check(parameter.value.data != nullptr || parameter.in_int8, parameter.name,
        "expected an allocated store; got one before allocate()");
  const bool in_int8 = precision() == Precision::int8;
  check(!parameter.in_int8 || in_int8, parameter.name,
        "expected a step in int8, as the model has its matrices in int8; got another precision");
  check(!parameter.is_matrix || parameter.in_int8 || !in_int8, parameter.name,
        "expected a model in int8 for a step in int8; got one in float. Hint: construct QuantizedMatrices");
  if (!options_.recording || !parameter.is_trainable()) {
    Variable<T> result = constant(parameter.value);
    result.parameter_ = &parameter;
    return result;
  }
  check(parameter.parts.empty(), parameter.name,
        "expected one of its parts, which have the gradient; got the whole parameter");
  Node<T> node{.op = "parameter", .value = parameter.value, .keep = true};
  node.parameter = &parameter;
  node.version = parameter.version();
  return {this, parameter.value, tape_.add(node), generation()};
}

template <class T>
void Context<T>::backward(const Variable<T>& root, bool keep_graph) {
  check(root.size() == 1, "backward",
        "expected a scalar, or a cotangent beside it; got shape {}. Hint: sum() makes a scalar", root.shape());
  const T one{1};
  backward(root, {&one, root.shape()}, keep_graph);
}

template <class T>
void Context<T>::backward(const Variable<T>& root, const Tensor<const T>& cotangent, bool keep_graph) {
  check(&context_of("backward", {root}) == this, "backward",
        "expected a root of this context; got one of another. Hint: call backward on the context that computed it");
  check(options_.recording, "backward",
        "expected a step that records; got one begun with recording = false. Hint: leave `recording` out of begin()");
  check(root.requires_grad(), "backward",
        "expected a variable that requires a gradient; got a constant. Hint: parameter() and input() make variables "
        "that require one, and an own op's value must come from record()");
  check(cotangent.shape == root.shape(), "backward", "expected a cotangent of shape {}; got {}", root.shape(),
        cotangent.shape);
  tape_.backward(root.node_, cotangent, keep_graph, profile_);
}

template <class T>
bool Context<T>::records(InputSpan inputs) const {
  return options_.recording &&
         std::ranges::any_of(inputs, [](const auto& input) { return input && input->requires_grad(); });
}

template <class T>
Variable<T> Context<T>::add_node(Node<T> node, InputSpan inputs) {
  check(&common_context<T>(node.op, inputs) == this, node.op,
        "expected inputs of the recording context; got those of another");
  const std::span<int> positions = array<int>(std::ssize(inputs));
  std::ranges::transform(inputs, positions.begin(), [](const auto& input) { return input ? input->node_ : -1; });
  node.inputs = positions.data();
  node.input_count = static_cast<int>(inputs.size());
  return {this, node.value, tape_.add(node), generation()};
}

template <class T>
void Context<T>::check_readable(const Variable<T>& x) const {
  x.check_value();
  check(x.context_ == this, "variable", "expected a value of the reading context; got one of another");
}

template <class T>
Tensor<const T> Context<T>::read(const Variable<T>& x) {
  check_readable(x);
  x.check_has_numbers();
  if (!x.requires_grad()) return x.value_;
  tape_.node(x.node_).read = true;
  return tape_.value(x.node_);
}

template <class T>
Tensor<const T> Context<T>::read_matrix(const Variable<T>& x) {
  return in_int8(x) ? x.value_ : read(x);
}

template <class T>
kernels::Factor<T> Context<T>::factor(const Variable<T>& x) {
  const Index cols = x.shape().cols();
  if (precision() == Precision::full) return {.data = read(x).data, .stride = cols};
  if constexpr (std::is_same_v<T, float>)
    if (precision() == Precision::int8) {
      using namespace kernels::int8;
      const Index rows = x.shape().rows();
      const std::span<std::uint32_t> units = array<std::uint32_t>(rows * quads(cols));
      const T* const data = read(x).data;
      return {.data = data,
              .stride = cols,
              .rows = quantize_rows(kind(), rows, cols, data, units.data(), array<float>(rows).data())};
    }
  check_readable(x);
  const Bf16* own = nullptr;
  const Bf16*& result = x.requires_grad() ? tape_.node(x.node_).rounded : own;
  if (!result) {
    const Tensor<const T> value = x.requires_grad() ? tape_.value(x.node_) : x.value_;
    const std::span<Bf16> to = array<Bf16>(x.size());
    if constexpr (std::is_same_v<T, float>) kernels::bf16::round(value, to.data());
    result = to.data();
  }
  return {.data = nullptr, .stride = cols, .rounded = result};
}

template <class T>
Variable<T> Context<T>::with_rounded(const Variable<T>& y, Bf16* rounded) {
  if (y.requires_grad()) tape_.node(y.node_).rounded = rounded;
  return y;
}

template <class T>
std::optional<kernels::Factor<T>> Context<T>::prepared(const Variable<T>& weight) {
  if (const auto* const codes = in_int8(weight))
    return kernels::Factor<T>{.data = nullptr, .stride = 0, .weight = codes};
  if (!prepared_weights_ || !weight.parameter_ || options_.recording) return {};
  return prepared_weights_->of(*weight.parameter_, precision());
}

template <class T>
Variable<T> Context<T>::unread(const Variable<T>& y) {
  if (y.requires_grad()) tape_.node(y.node_).unread = true;
  return y;
}

template <class T>
auto Context<T>::take(const Variable<T>& x) -> Taken {
  check_readable(x);
  T* const own = x.requires_grad() ? tape_.take(x.node_) : nullptr;
  return {own ? x.value_ : read(x), own ? Tensor<T>{own, x.shape()} : tensor(x.shape())};
}

template <class T>
std::size_t Context<T>::replaceable_bytes(const Variable<T>& x) const {
  const std::size_t bytes = x.value_.span().size_bytes();
  return live_.back().kept == x.value_.data && arena_.is_newest(x.value_.data, bytes) ? bytes : 0;
}

template <class T>
bool Context<T>::is_live(std::uint32_t generation) const {
  return generation == this->generation() || std::ranges::find(live_, generation, &Generation::number) != live_.end();
}

template <class T>
void Context<T>::trace_finite(const Node<T>& node) {
  const Shape& shape = node.value.shape;
  for (Index i = 0; i < shape.size() && first_nonfinite_.empty(); ++i)
    if (const T x = node.value.data ? node.value[i] : T(node.rounded[i].widened()); !std::isfinite(x))
      first_nonfinite_ = fmt::format("{} {}: element {} is {}", node.op, shape, i, x);
}

template <class T>
void Context<T>::profile_forward(const char* op, InputSpan inputs, const Tensor<const T>& value) {
  Index elements = value.size();
  for (const auto& input : inputs) elements += input ? input->size() : 0;
  profile_->lap(op, false, static_cast<double>(elements) * sizeof(T));
}

template <class T>
Context<T>& context_of(const char* op, std::initializer_list<Variable<T>> inputs) {
  return common_context<T>(op, inputs);
}

template <class T>
Context<T>& context_of(const char* op, std::span<const Variable<T>> inputs) {
  return common_context<T>(op, inputs);
}

template <class T>
Context<T>& context_of(const char* op, OpInputs<T> inputs) {
  return common_context<T>(op, inputs);
}

template <class T>
Context<T>& Variable<T>::context(const char* op) const {
  check(context_ != nullptr, op, "expected a value; got an unassigned variable");
  check(context_->is_live(generation_), op,
        "expected a value of the current step; got one from a finished step or frame, whose memory was released. Hint: "
        "copy the numbers before it ends, or use a separate context for the steps in between");
  return *context_;
}

template <class T>
void Variable<T>::check_value() const {
  check(node_ < 0 || !context().tape().node(node_).spent, "variable",
        "expected a value still in memory; got one whose memory a later op or a gradient reuses. Hint: read it "
        "earlier, or call retain_grad() first");
  context();
}

template <class T>
void Variable<T>::check_has_numbers() const {
  if (parameter_ && parameter_->in_int8)
    fail(parameter_->name,
         "expected only linear layers and embed_tokens to read a matrix in int8 {}; got another reader", shape());
}

template <class T>
Tensor<const T> Variable<T>::value() const {
  check_value();
  check_has_numbers();
  if (node_ < 0) return value_;
  context_->tape().node(node_).handed_out = true;
  return context_->tape().value(node_);
}

template <class T>
void Variable<T>::retain_grad() const {
  Context<T>& c = context();
  check(node_ >= 0, "retain_grad", "expected a variable that requires a gradient; got a constant");
  check(!c.tape().walked(), "retain_grad",
        "expected a call before backward, which releases gradients; got one after it");
  c.tape().node(node_).keep = true;
}

template <class T>
Tensor<T> Variable<T>::grad() const {
  Context<T>& c = context();
  check(node_ >= 0, "grad", "expected a variable that requires a gradient; got a constant");
  check(c.tape().walked(), "grad", "expected a call after backward; got one before it");
  Node<T>& node = c.tape().node(node_);
  check(node.keep, "grad",
        "expected a leaf or a variable with retain_grad(); got the result of {}. Hint: call retain_grad() on it before "
        "backward",
        node.op);
  if (const GradSlot<T>& slot = node.slot(); slot.set) return {slot.data, shape()};
  // The gradient stays unset, because optimizers skip a parameter without one. The zeros are in the node's own slot.
  T*& zeros = node.own.data;
  if (zeros == nullptr) zeros = c.tensor(shape()).data;
  std::fill_n(zeros, size(), T{0});
  return {zeros, shape()};
}

template class Variable<float>;
template class Variable<double>;
template class Context<float>;
template class Context<double>;
template Context<float>& context_of(const char*, std::initializer_list<Variable<float>>);
template Context<double>& context_of(const char*, std::initializer_list<Variable<double>>);
template Context<float>& context_of(const char*, std::span<const Variable<float>>);
template Context<double>& context_of(const char*, std::span<const Variable<double>>);
template Context<float>& context_of<float>(const char*, OpInputs<float>);
template Context<double>& context_of<double>(const char*, OpInputs<double>);

}  // namespace glossa
