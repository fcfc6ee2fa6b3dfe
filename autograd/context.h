#pragma once

#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "autograd/kernels/gemm.h"
#include "autograd/precision.h"
#include "autograd/prepared_weights.h"
#include "autograd/profile.h"
#include "autograd/tape.h"
#include "base/check.h"
#include "base/random.h"

namespace glossa {

/// Settings of a step: everything that affects results besides the numbers of inputs and parameters.
struct StepOptions {
  bool training = false;   // true: dropout is active
  bool recording = true;   // false: nothing is recorded (inference)
  std::uint64_t seed = 1;  // `seed` and `update` determine all random numbers of the step

  // Number of the step. If not set, the context numbers its steps from 0. Dropout then differs from step to step, but
  // not between contexts with the same seed. Set the number to repeat a step or to resume an interrupted run.
  std::optional<std::uint64_t> update = {};

  Precision precision = Precision::full;  // precision of matrix products; a context of doubles ignores it
};

template <class T>
class Frame;

/// The inputs of an op, in order. An op may accept std::nullopt instead of an input, except the first. The derivative
/// then has an input that needs no gradient.
template <class T>
using OpInputs = std::initializer_list<std::optional<Variable<std::type_identity_t<T>>>>;

/// State of a forward pass: memory, tape, random key, training or evaluation mode. Every computing thread has its own
/// context; there is no global context. Several contexts may run forward passes over one ParameterStore at the same
/// time, because forward passes only read it. `begin` starts the next step and invalidates all variables of the
/// previous step, in O(1).
///
/// docs/architecture.md, "Memory", describes ownership of values and reuse of their memory.
template <class T>
class Context {
 public:
  Context() : tape_(arena_, scratch_) { live_.reserve(16); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Starts a step: frees values, gradients and closures of the previous step.
  void begin(const StepOptions& options);

  /// `constant`, `input` and `parameter` return a leaf, a variable that no op computes. A leaf is a view of the
  /// caller's memory: `value` must exist, unchanged, until the step ends. Throws if called before `begin`.
  Variable<T> constant(const Tensor<const T>& value);
  Variable<T> input(const Tensor<const T>& value);
  Variable<T> parameter(Parameter<T>& parameter);
  std::optional<Variable<T>> optional_parameter(Parameter<T>* given) {
    return given ? std::optional(parameter(*given)) : std::nullopt;
  }

  /// Computes all required gradients. Without `cotangent`, `root` must have a single element, and its cotangent is 1;
  /// otherwise `cotangent` must have the root's shape. Backward may run only once per step, unless earlier calls kept
  /// the graph. If backward runs again, the gradients of leaves add up; other gradients start from zero. Throws for a
  /// constant root and for a cotangent of another shape. Also throws, before changing any gradient, if the value of a
  /// trainable parameter has changed since the root read it (see Parameter::mark_changed).
  void backward(const Variable<T>& root, bool keep_graph = false);
  void backward(const Variable<T>& root, const Tensor<const T>& cotangent, bool keep_graph = false);

  /// Sets whether a step reuses memory of values and gradients that are no longer needed (default true). Results do not
  /// depend on this setting; tests turn reuse off to verify that.
  void set_reuse(bool on) { tape_.set_reuse(on); }

  /// Sets whether released memory from `scratch` and new gradients are filled with NaN (default false). A derivative
  /// that wrongly reads scratch of the forward pass, or leaves elements of a gradient unwritten, then returns NaN.
  /// grad_check turns this on.
  void set_wiping(bool on) {
    scratch_.set_wiping(on);
    tape_.set_wiping(on);
  }

  // --- For ops ---

  /// Value of the op's input `x`. The op may read it until the op's own derivative has run. Throws for a parameter in
  /// int8, which has no numbers in T.
  Tensor<const T> read(const Variable<T>& x);

  /// As `read`, but also accepts a matrix in int8; the result then has a shape but no numbers. The op must read such a
  /// matrix through transposed_weight or `in_int8`.
  Tensor<const T> read_matrix(const Variable<T>& x);

  /// The parameter `x` in int8; null if it is not in int8.
  const kernels::int8::Weight* in_int8(const Variable<T>& x) const {
    return x.parameter_ ? x.parameter_->in_int8 : nullptr;
  }

  /// The rows of `x` as a factor of a product, valid as long as the value. In bf16, the rows are rounded when first
  /// requested, unless the op that computed `x` has rounded them. In int8, they are quantized at each call.
  kernels::Factor<T> factor(const Variable<T>& x);

  /// True if an op with these inputs is recorded: the step records, and an input needs a gradient.
  bool records(OpInputs<T> inputs) const { return records(std::span(inputs.begin(), inputs.size())); }

  /// True if an op with these inputs should keep its value in bf16: the step computes products in bf16 and records the
  /// op.
  bool rounds(OpInputs<T> inputs) const { return precision() == Precision::bf16 && records(inputs); }

  /// Uninitialized memory for a value, valid until the next step or until the enclosing Frame ends.
  Tensor<T> tensor(const Shape& shape) { return {arena_.allocate_array<T>(shape.size()), shape}; }

  Tensor<Bf16> bf16_tensor(const Shape& shape) { return {arena_.allocate_array<Bf16>(shape.size()), shape}; }

  /// As `tensor`, but an array with elements of any type.
  template <class E>
  std::span<E> array(Index count) {
    static_assert(std::is_trivially_destructible_v<E>);
    return arena_.array<E>(count);
  }

  /// Copies `values` into an array in the step's memory.
  template <class E>
  std::span<const E> keep(std::span<const E> values) {
    const std::span<E> copy = array<E>(std::ssize(values));
    std::copy(values.begin(), values.end(), copy.begin());
    return copy;
  }

  /// Uninitialized temporary memory, valid until the enclosing scratch_mark is released, or until the next step.
  Tensor<T> scratch(const Shape& shape) { return {scratch_.allocate_array<T>(shape.size()), shape}; }
  Arena::Mark scratch_mark() { return Arena::Mark(scratch_); }

  /// Records an op with its value and its derivative. Backward calls the derivative with a Backward<T>, which holds the
  /// gradient of the value. If no input requires a gradient, nothing is recorded. The derivative's captures are copied
  /// into the arena and never destroyed. The engine takes over the value's memory. Only the overload for `Tensor<const
  /// T>` takes a view, whose memory the engine does not own.
  template <class Derivative>
  Variable<T> record(const char* op, OpInputs<T> inputs, const Tensor<T>& value, const Derivative& derivative) {
    return add_node({.op = op, .value = value, .memory = value.data}, std::span(inputs.begin(), inputs.size()),
                    derivative);
  }

  template <class Derivative>
  Variable<T> record(const char* op, std::span<const Variable<T>> inputs, const Tensor<T>& value,
                     const Derivative& derivative) {
    const Arena::Mark mark(scratch_);
    const auto list = scratch_.array<std::optional<Variable<T>>>(std::ssize(inputs));
    std::ranges::uninitialized_copy(inputs, list);
    return add_node({.op = op, .value = value, .memory = value.data}, std::span(list), derivative);
  }

  template <class Derivative>
  Variable<T> record(const char* op, OpInputs<T> inputs, const Tensor<const T>& view, const Derivative& derivative) {
    for (const std::optional<Variable<T>>& input : inputs)
      if (input) input->value();  // the view's readers need the inputs' memory
    return add_node({.op = op, .value = view}, std::span(inputs.begin(), inputs.size()), derivative);
  }

  /// As `record`, for a value that exists only in bf16 (see `rounds`). `factor` reads it directly; for other readers,
  /// the engine makes a copy in T.
  template <class Derivative>
  Variable<T> record(const char* op, OpInputs<T> inputs, const Tensor<Bf16>& value, const Derivative& derivative) {
    return add_node({.op = op, .value = {static_cast<const T*>(nullptr), value.shape}, .rounded = value.data},
                    std::span(inputs.begin(), inputs.size()), derivative);
  }

  /// Attaches `rounded`, a copy of `y` in bf16 that the op has written (see `rounds`). Returns `y`.
  Variable<T> with_rounded(const Variable<T>& y, Bf16* rounded);

  /// Marks `y` as a value that its own op's derivative does not read. The next op may then overwrite it (see `take`).
  Variable<T> unread(const Variable<T>& y);

  /// Result of take(x), for an input x that the op reads only in its forward pass. `from` is the value of `x`; `to` is
  /// memory of the same size. If `x` was marked `unread` and has no other reader, `from` and `to` are the same memory.
  /// Later use of the value of `x` then throws Error.
  struct Taken {
    Tensor<const T> from;
    Tensor<T> to;
  };
  Taken take(const Variable<T>& x);

  bool training() const { return options_.training; }
  const StepOptions& options() const { return options_; }
  Precision precision() const { return std::is_same_v<T, float> ? options_.precision : Precision::full; }

  /// Key of the step's random numbers, and the number of the next site. A site is an op that draws random numbers.
  /// Sites are numbered in the order of the forward pass. A repeated pass therefore draws the same numbers.
  PhiloxKey random_key() const { return key_; }
  std::uint32_t next_random_site() { return random_sites_++; }

  /// `branches` is a hash of the branches taken by ops with a kink (relu, max, abs, ...) while `trace_branches` is on.
  /// If forward passes on two inputs give different hashes, a kink lies between these inputs.
  void trace_branches(bool on) { tracing_branches_ = on; }
  std::uint64_t branches() const { return branches_; }

  /// For ops with a kink: `taken(i)` returns the branch (of two) that element i took, for i in {0, ..., size-1}.
  template <class Taken>
  void add_branches(Index size, const Taken& taken) {
    if (!tracing_branches_) return;
    std::uint64_t hash = 0;
    for (Index i = 0; i < size; ++i) hash = hash * 0x100000001B3u + (taken(i) ? 2 : 1);
    branches_ = mix64(branches_ ^ hash);
  }

  /// Sets whether to note the step's first op with a value that is not finite. `first_nonfinite` describes this op, or
  /// is empty.
  void trace_finite(bool on) { tracing_finite_ = on; }
  const std::string& first_nonfinite() const { return first_nonfinite_; }

  /// Times every op of future steps, forward and backward; null turns this off.
  void set_profile(Profile* profile) { profile_ = profile; }
  Profile* profile() const { return profile_; }

  /// Sets the prepared weights that linear ops use in steps without recording; null removes them.
  void set_prepared_weights(PreparedWeights<T>* weights) { prepared_weights_ = weights; }

  /// W^T of a parameter W [O, I], prepared for products. Empty unless W is in int8, or prepared weights are set and the
  /// step does not record.
  std::optional<kernels::Factor<T>> prepared(const Variable<T>& weight);

  /// A generation is a set of values that are released together, at the end of the step or of a Frame within the step.
  /// `generation` returns the number of the current generation. `is_live` is true if the values of a generation are
  /// still valid.
  std::uint32_t generation() const { return live_.back().number; }
  bool is_live(std::uint32_t generation) const;
  Tape<T>& tape() { return tape_; }
  const Arena& arena() const { return arena_; }
  /// Peak memory of a step: values, gradients and scratch.
  std::size_t peak_bytes() const { return arena_.peak_bytes() + scratch_.peak_bytes(); }
  std::size_t heap_allocations() const { return arena_.heap_allocations() + scratch_.heap_allocations(); }

 private:
  friend class Frame<T>;
  using InputSpan = std::span<const std::optional<Variable<T>>>;

  struct Generation {
    std::uint32_t number;
    const T* kept = nullptr;  // the generation's first value, if a frame kept it
  };

  template <class Derivative>
  Variable<T> add_node(Node<T> node, InputSpan inputs, const Derivative& derivative) {
    static_assert(std::is_trivially_destructible_v<Derivative>, "captures live in an arena: tensors, numbers, spans");
    if (tracing_finite_) trace_finite(node);
    if (profile_) profile_forward(node.op, inputs, node.value);
    if (!records(inputs)) return constant(node.value);
    node.closure = new (arena_.allocate(sizeof(Derivative))) Derivative(derivative);
    node.run = [](const void* closure, Backward<T>& backward) { (*static_cast<const Derivative*>(closure))(backward); };
    return add_node(node, inputs);
  }

  void check_begun() const;
  void check_readable(const Variable<T>& x) const;
  bool records(InputSpan inputs) const;
  Variable<T> add_node(Node<T> node, InputSpan inputs);
  void trace_finite(const Node<T>& node);
  void profile_forward(const char* op, InputSpan inputs, const Tensor<const T>& value);

  /// Size in bytes of the value of `x` if a frame kept it and nothing was allocated since; otherwise 0.
  std::size_t replaceable_bytes(const Variable<T>& x) const;

  void open_generation(const T* kept = nullptr) { live_.push_back({++generations_, kept}); }

  Arena arena_, scratch_;
  Tape<T> tape_;
  StepOptions options_;
  std::uint64_t steps_ = 0;  // number of steps begun
  PhiloxKey key_{};
  std::uint32_t generations_ = 1;      // number of the newest generation; never restarts
  std::vector<Generation> live_{{1}};  // live generations: first the step's, then its frames', outer before inner
  std::uint32_t random_sites_ = 0;
  bool tracing_branches_ = false, tracing_finite_ = false;
  std::uint64_t branches_ = 0;
  std::string first_nonfinite_;
  Profile* profile_ = nullptr;
  PreparedWeights<T>* prepared_weights_ = nullptr;
};

/// The context shared by all inputs of an op. Throws Error `[op] ...` if inputs come from different contexts or from a
/// finished step. If an input may be std::nullopt, the call names T: context_of<T>("my_op", {x, bias}).
template <class T>
Context<T>& context_of(const char* op, std::initializer_list<Variable<T>> inputs);
template <class T>
Context<T>& context_of(const char* op, std::span<const Variable<T>> inputs);
template <class T>
Context<T>& context_of(const char* op, OpInputs<T> inputs);

}  // namespace glossa
