#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/arena.h"
#include "autograd/kernels/bf16/round.h"
#include "autograd/kernels/broadcast.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/kernels/gemm.h"
#include "autograd/parameter.h"
#include "autograd/precision.h"
#include "autograd/profile.h"
#include "autograd/variable.h"

namespace glossa {

template <class T>
class Backward;

/// A recorded op or a leaf: its value, its inputs (as positions on the tape) and its closure, which turns the gradient
/// of the value into gradients of the inputs.
template <class T>
struct Node {
  const char* op;
  Tensor<const T> value;
  T* memory = nullptr;            // memory of the value while the engine may reuse it; null for leaves and views
  const Bf16* rounded = nullptr;  // the value in bf16, or null; if set, value.data may be null
  const int* inputs = nullptr;    // each input's position on the tape; -1: no gradient needed
  int input_count = 0;
  void (*run)(const void* closure, Backward<T>& backward) = nullptr;  // calls the closure; null for a leaf
  const void* closure = nullptr;
  GradSlot<T> own{};
  Parameter<T>* parameter = nullptr;  // parameter of a parameter's leaf; its gradient replaces `own`
  std::uint64_t version = 0;          // version of the parameter when the leaf was made
  bool keep = false;                  // true: backward keeps value and gradient, for a leaf or after retain_grad
  bool unread = false;                // true: the op's derivative does not read the value
  bool read = false;                  // true: another op read the value, and its derivative may read it again
  bool handed_out = false;            // true: code outside ops has the value, so its memory stays until the next step
  bool spent = false;                 // true: the value's memory has been reused

  GradSlot<T>& slot() { return parameter ? parameter->grad : own; }
};

/// The nodes of a step in order of creation: one for each recorded op, input and parameter. Constants, and ops without
/// an input that requires a gradient, have no node. Every node comes after its inputs. Backward therefore traverses the
/// list once from the end, without recursion, sorting or a set of visited nodes (Wengert 1964).
template <class T>
class Tape {
 public:
  /// `arena` holds the gradients of a step, `scratch` the temporaries of a derivative.
  Tape(Arena& arena, Arena& scratch) : arena_(arena), scratch_(scratch) {}

  int add(const Node<T>& node);
  Node<T>& node(int index) { return nodes_[index]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  void clear();
  void set_precision(Precision precision) { precision_ = precision; }

  /// Adds the derivatives of cotangent . root to the gradients of all leaves that `root` depends on. After a call with
  /// `keep_graph`, backward may be called again; otherwise a second call throws Error. Throws if one of the leaves is a
  /// parameter that has changed since it was read. `profile`, if given, times each derivative.
  void backward(int root, const Tensor<const T>& cotangent, bool keep_graph, Profile* profile = nullptr);
  bool walked() const { return walked_; }

  /// Value of a node. A value that exists only in bf16 is copied into the step's memory on first request.
  Tensor<const T> value(int index);

  /// Returns the memory of a node's value for reuse, or null if a caller or a derivative may still read the value.
  T* take(int index);

  /// Sets whether memory is reused within a step (default true). Tests turn reuse off to check that results do not
  /// change.
  void set_reuse(bool on) { reuse_ = on; }

  /// Sets whether new gradients are filled with NaN, which exposes a derivative that leaves an element unwritten.
  void set_wiping(bool on) { wipes_ = on; }

 private:
  friend class Backward<T>;
  static constexpr std::size_t line = Arena::alignment / sizeof(T);

  bool depends(int root, int leaf) const;
  T* gradient_memory(Index size);
  T* unused_memory(Index size);
  void recycle(T* memory, Index size);
  void give(const Tensor<T>& memory);
  void give_rounded(Node<T>& node);
  double bytes_of_derivative(const Node<T>& node) const;

  Arena& arena_;
  Arena& scratch_;
  std::vector<Node<T>> nodes_;
  std::vector<int> parameters_;             // positions of the parameters' leaves
  std::vector<std::pair<Index, T*>> free_;  // size and memory of gradients and values of finished nodes
  std::vector<std::span<T>> spare_;         // memory released by derivatives, from which new gradients are taken
  Precision precision_ = Precision::full;
  bool reuse_ = true;
  bool wipes_ = false;
  bool walked_ = false;
  bool spent_ = false;
};

/// Destination of an input's gradient: the op assigns every element or, if `add`, adds to every element.
template <class T>
struct Sink {
  Tensor<T> grad;
  bool add = false;

  /// True if the gradient is needed; if not, write_row does nothing.
  explicit operator bool() const { return grad.data != nullptr; }

  /// grad[i] = f(i), or += f(i), for every flat index i.
  template <class F>
  void write(const F& f) const {
    kernels::accumulate(grad, add, f);
  }

  /// As `write`, but for one row of a gradient [..., D]: f(j) is the number for column j. An op that loops over the
  /// rows calls `write_row` once for each row.
  template <class F>
  void write_row(Index row, const F& f) const {
    if (*this) kernels::write_row(grad.cols(), grad.row(row), add, f);
  }

  /// The gradient, zeroed if still unset, for ops that can only add to it.
  Tensor<T> zeroed() const {
    if (!add) kernels::fill(grad, T{0});
    return grad;
  }

  /// Factor of the existing contents: 1 if adding, else 0.
  T beta() const { return add ? T{1} : T{0}; }
};

/// Interface for a derivative: the gradient of the node's value, and sinks for the gradients of the node's inputs. The
/// engine, not the op, chooses between assigning and adding, sums over broadcast axes, and skips inputs that need no
/// gradient.
template <class T>
class Backward {
 public:
  Backward(Tape<T>& tape, int node, Tensor<T> dy) : tape_(tape), node_(node), dy_(dy) {}

  /// The precision of the step's products.
  Precision precision() const { return tape_.precision_; }

  /// Gradient of the root with respect to the node's value; same shape as the value.
  Tensor<const T> dy() const { return dy_; }

  /// True if input number `input` of the op needs a gradient. Throws if the op was recorded with fewer inputs.
  bool needs(int input) const;

  /// The sink of input `input`, which must need a gradient. The caller must write every element, and request each sink
  /// once. With more than 64 inputs, write each sink before requesting the next.
  Sink<T> sink(int input);

  /// As `sink`, but empty if the input needs no gradient.
  Sink<T> optional_sink(int input) { return needs(input) ? sink(input) : Sink<T>{}; }

  /// Adds f(i), for every flat index i of the node's value, to an input's gradient. If the input was broadcast to the
  /// value's shape, sums over the broadcast axes. Does nothing if the input needs no gradient. Throws if the input's
  /// shape does not broadcast to the value's.
  template <class F>
  void add(int input, const F& f) {
    if (!needs(input)) return;
    const Sink<T> to = sink(input);
    if (to.grad.shape == dy_.shape) return to.write(f);
    check_broadcasts(to.grad.shape);
    const Tensor<T> whole = scratch(dy_.shape);
    kernels::map(whole, f);
    kernels::reduce<T>(to.grad, whole, to.add);
  }

  /// Returns dy in memory that the derivative may overwrite: dy's own memory, or a copy if dy will be read again.
  Tensor<T> take_dy();

  /// Uninitialized memory, valid until the end of this derivative.
  Tensor<T> scratch(const Shape& shape) { return {tape_.scratch_.template allocate_array<T>(shape.size()), shape}; }

  /// The rows of `x` as a factor of a product. In bf16, they are rounded into scratch.
  kernels::Factor<T> factor(const Tensor<const T>& x);

  /// A factor of this shape in scratch; element i is f(i), rounded to bf16.
  template <class F>
  kernels::Factor<T> factor(const Shape& shape, const F& f) {
    const std::span<Bf16> to = tape_.scratch_.template array<Bf16>(shape.size());
    parallel_ranges(shape.size(), kernels::elementwise_grain, [&](Index begin, Index end) {
      constexpr Index run = 512;  // numbers converted to bf16 at a time, in the L1 cache
      T numbers[run];
      for (; begin < end; begin += run) {
        const Index count = std::min(run, end - begin);
        kernels::assign_row(count, numbers, [&](Index i) { return f(begin + i); });
        kernels::bf16::round_row(count, numbers, to.data() + begin);
      }
    });
    return {.data = nullptr, .stride = shape.cols(), .rounded = to.data()};
  }

  /// Releases memory of the step that only this derivative needs. Gradients may reuse the memory unless the graph is
  /// kept.
  void give(const Tensor<T>& memory) { tape_.give(memory); }

  /// Adds the gradients that were deferred because two inputs share one gradient, as in x * x. Throws if a required
  /// sink was not requested. The tape calls `finish` after the derivative.
  void finish();

 private:
  struct Waiting {
    Tensor<T> grad;
    GradSlot<T>* slot;
    Waiting* next;
  };

  void check_broadcasts(const Shape& input) const;

  Tape<T>& tape_;
  int node_;
  Tensor<T> dy_;
  std::uint64_t asked_ = 0;  // bit i: the sink of input i was requested
  Waiting* waiting_ = nullptr;
};

}  // namespace glossa
