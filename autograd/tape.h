#pragma once

#include <span>
#include <vector>

#include "autograd/arena.h"
#include "autograd/kernels/broadcast.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/parameter.h"
#include "autograd/profile.h"
#include "autograd/variable.h"

namespace glossa {

template <class T>
class Backward;

/// One recorded operation: its value, its inputs (as positions on the tape) and the closure that turns the gradient of
/// the value into gradients of the inputs.
template <class T>
struct Node {
  const char* op;
  Tensor<const T> value;
  T* memory = nullptr;          // of the value, as long as it is the engine's to give on; null for leaves and views
  const int* inputs = nullptr;  // -1: an input that needs no gradient
  int input_count = 0;
  void (*run)(const void* closure, Backward<T>& backward) = nullptr;  // null: a leaf
  const void* closure = nullptr;
  GradSlot<T> own{};
  GradSlot<T>* parameter = nullptr;  // the gradient of a parameter lives in its store
  bool keep = false;                 // value and gradient stay
  bool unread = false;               // its own derivative does not read the value
  bool read = false;                 // by an op, whose derivative may read it again
  bool handed_out = false;           // somebody has the value who is no op: it stays until the next step
  bool spent = false;                // the value's memory was given to something else

  GradSlot<T>& slot() { return parameter ? *parameter : own; }
};

/// A list of whole-tensor nodes in creation order. Every node comes after its inputs, so backward is one walk from the
/// end: no recursion, no sort, no set of visited nodes (Wengert 1964).
template <class T>
class Tape {
 public:
  /// `arena` holds the gradients of one step, `scratch` what a single derivative needs.
  Tape(Arena& arena, Arena& scratch) : arena_(arena), scratch_(scratch) {}

  int add(const Node<T>& node);
  Node<T>& node(int index) { return nodes_[index]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  void clear();

  /// Adds d(cotangent . root) to the gradients of all leaves below `root`. With `keep_graph` it may be called again;
  /// without, a second call is an Error. Each derivative is timed if there is a `profile`.
  void backward(int root, const Tensor<const T>& cotangent, bool keep_graph, Profile* profile = nullptr);
  bool walked() const { return walked_; }

  /// Memory of a value for another one: only if nobody reads it again, neither outside nor in a derivative. Null else.
  T* take(int index);

  /// Whether memory is given on before the step ends: true; false to find out whether that changes anything.
  void set_reuse(bool on) { reuse_ = on; }

 private:
  friend class Backward<T>;
  static constexpr std::size_t line = Arena::alignment / sizeof(T);

  T* gradient_memory(Index size);
  void recycle(T* memory, Index size);
  void give(const Tensor<T>& memory);
  double bytes_of_derivative(const Node<T>& node) const;

  Arena& arena_;
  Arena& scratch_;
  std::vector<Node<T>> nodes_;
  std::vector<std::pair<Index, T*>> free_;  // gradients and values of nodes whose derivative has run
  std::vector<std::span<T>> spare_;         // given by derivatives, to cut gradients from
  bool reuse_ = true;
  bool walked_ = false;
  bool spent_ = false;
};

/// Where an input's gradient goes: all of it is written, and added to what is there if `add`.
template <class T>
struct Sink {
  Tensor<T> grad;
  bool add = false;

  /// Whether the gradient is wanted; if not, write_row does nothing.
  explicit operator bool() const { return grad.data != nullptr; }

  /// grad[i] = f(i), or += f(i), for every flat index i.
  template <class F>
  void write(const F& f) const {
    kernels::accumulate(grad, add, f);
  }

  /// The same for row `row` of [..., D], j its columns: for a loop of the op's own, which comes to every row once.
  template <class F>
  void write_row(Index row, const F& f) const {
    if (*this) kernels::write(grad.row(row), 0, grad.cols(), add, f);
  }

  /// For who can only add: the gradient, with zeros where nothing is there yet.
  Tensor<T> zeroed() const {
    if (!add) kernels::fill(grad, T{0});
    return grad;
  }

  /// 1 or 0: the factor for what is there.
  T beta() const { return add ? T{1} : T{0}; }
};

/// What the derivative of one node sees: the gradient of its value, and sinks for the gradients of its inputs. The
/// engine, not the op, assigns or adds, reduces over broadcast axes and skips inputs that need nothing.
template <class T>
class Backward {
 public:
  Backward(Tape<T>& tape, int node, Tensor<T> dy) : tape_(tape), node_(node), dy_(dy) {}

  /// Gradient of the root with respect to the node's value; same shape as the value.
  Tensor<const T> dy() const { return dy_; }

  /// Whether input `input` was passed, and whether it wants a gradient. The latter throws if there is no such input.
  bool has(int input) const { return input < tape_.nodes_[node_].input_count; }
  bool needs(int input) const;

  /// The sink of input `input`, which must need a gradient. Whoever asks must write all of it. Ask for each input
  /// once; with more than 64 inputs, write one sink before asking for the next.
  Sink<T> sink(int input);

  /// The same, or an empty one if input `input` was not passed or needs no gradient.
  Sink<T> optional_sink(int input) { return has(input) && needs(input) ? sink(input) : Sink<T>{}; }

  /// Adds f(i), i a flat index of the node's value, to the gradient of an input of the same shape, or of a shape that
  /// was broadcast (then the sum over the broadcast axes). Does nothing if the input needs no gradient. Throws for an
  /// input of any other shape.
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

  /// The same numbers in memory that may be overwritten: that of dy itself unless somebody will still read it.
  Tensor<T> take_dy();

  /// Memory until the end of this derivative.
  Tensor<T> scratch(const Shape& shape) { return {tape_.scratch_.template allocate_array<T>(shape.size()), shape}; }

  /// Memory of the step that the op kept for this derivative only: from now on gradients may lie there, unless the
  /// graph is kept.
  void give(const Tensor<T>& memory) { tape_.give(memory); }

  /// Adds what had to wait because two inputs are the same variable; called by the tape.
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
  std::uint64_t asked_ = 0;  // bit i: the sink of input i is out
  Waiting* waiting_ = nullptr;
};

}  // namespace glossa
