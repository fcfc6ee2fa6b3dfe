#include "autograd/tape.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "autograd/poison.h"
#include "base/check.h"

namespace glossa {

template <class T>
int Tape<T>::add(const Node<T>& node) {
  if (node.parameter) parameters_.push_back(size());
  nodes_.push_back(node);
  return size() - 1;
}

template <class T>
void Tape<T>::clear() {
  nodes_.clear();
  parameters_.clear();
  free_.clear();
  spare_.clear();
  walked_ = spent_ = false;
}

/// True if the value of `root` was computed from that of `leaf`.
template <class T>
bool Tape<T>::depends(int root, int leaf) const {
  std::vector<bool> used(nodes_.size());
  used[root] = true;
  for (int i = root; i > leaf; --i)
    for (int input = 0; used[i] && input < nodes_[i].input_count; ++input)
      if (nodes_[i].inputs[input] >= 0) used[nodes_[i].inputs[input]] = true;
  return used[leaf];
}

template <class T>
T* Tape<T>::gradient_memory(Index size) {
  T* const memory = unused_memory(size);
  if (wipes_) std::fill_n(memory, size, std::numeric_limits<T>::quiet_NaN());
  return memory;
}

template <class T>
T* Tape<T>::unused_memory(Index size) {
  const auto bytes = static_cast<std::size_t>(size) * sizeof(T);
  // Sizes repeat from layer to layer, so another node soon reuses the gradient memory of a finished node.
  for (auto free = free_.begin(); free != free_.end(); ++free)
    if (free->first == size) {
      T* memory = free->second;
      *free = free_.back();
      free_.pop_back();
      unpoison(memory, bytes);
      return memory;
    }
  const std::size_t taken = (static_cast<std::size_t>(size) + line - 1) / line * line;
  for (std::span<T>& spare : spare_) {
    if (taken > spare.size()) continue;
    T* const memory = spare.data();
    spare = spare.subspan(taken);
    unpoison(memory, bytes);
    return memory;
  }
  return arena_.allocate_array<T>(size);
}

/// Releases memory that is no longer read, for the next gradient of the same size.
template <class T>
void Tape<T>::recycle(T* memory, Index size) {
  if (!reuse_) return;
  free_.emplace_back(size, memory);
  poison(memory, static_cast<std::size_t>(size) * sizeof(T));
}

template <class T>
void Tape<T>::give(const Tensor<T>& memory) {
  if (!reuse_ || !spent_ || !memory.data) return;
  spare_.push_back(memory.span().first(static_cast<std::size_t>(memory.size()) / line * line));
  poison(memory.data, memory.span().size_bytes());
}

/// Releases the memory of a value in bf16.
template <class T>
void Tape<T>::give_rounded(Node<T>& node) {
  if (!reuse_ || !spent_) return;
  constexpr auto numbers = static_cast<Index>(sizeof(T) / sizeof(Bf16));
  if (!node.value.data) node.spent = true;
  give({reinterpret_cast<T*>(const_cast<Bf16*>(std::exchange(node.rounded, nullptr))), {node.value.size() / numbers}});
}

template <class T>
T* Tape<T>::take(int index) {
  Node<T>& node = nodes_[index];
  if (!reuse_ || !node.unread || node.read || node.handed_out || node.keep) return nullptr;
  if (node.memory) node.spent = true;
  return std::exchange(node.memory, nullptr);
}

template <class T>
Tensor<const T> Tape<T>::value(int index) {
  Node<T>& node = nodes_[index];
  if (!node.value.data && node.rounded) {
    const Tensor<T> copy{arena_.allocate_array<T>(node.value.size()), node.value.shape};
    kernels::map(copy, [from = node.rounded](Index i) { return static_cast<T>(from[i].widened()); });
    node.value = copy;
  }
  return node.value;
}

constexpr Index smallest_spent = 1024;

/// Memory traffic of most derivatives: they read the value's gradient and the inputs, and write the inputs' gradients.
template <class T>
double Tape<T>::bytes_of_derivative(const Node<T>& node) const {
  Index elements = node.value.size();
  for (int i = 0; i < node.input_count; ++i)
    if (node.inputs[i] >= 0) elements += 2 * nodes_[node.inputs[i]].value.size();
  return static_cast<double>(elements) * sizeof(T);
}

template <class T>
void Tape<T>::backward(int root, const Tensor<const T>& cotangent, bool keep_graph, Profile* profile) {
  check(!spent_, "backward",
        "expected the first backward of this step; got a second. Hint: call context.begin() for every step; for "
        "several roots in one step, add them, or pass keep_graph to the first backward");
  for (const int leaf : parameters_)
    if (const Node<T>& node = nodes_[leaf]; node.version != node.parameter->version())
      check(leaf > root || !depends(root, leaf), node.parameter->name,
            "expected the value that the forward pass read; got one changed since, as by an optimizer's step. Hint: "
            "call backward before step");
  walked_ = true;
  spent_ = !keep_graph;
  for (Node<T>& node : nodes_)
    if (node.run != nullptr) node.own = {};  // leaves accumulate over several passes
  GradSlot<T>& start = nodes_[root].slot();
  if (start.data == nullptr) start.data = gradient_memory(cotangent.size());
  kernels::accumulate(Tensor<T>{start.data, cotangent.shape}, start.set, [&](Index i) { return cotangent[i]; });
  start.set = true;

  for (int i = root; i >= 0; --i) {
    Node<T>& node = nodes_[i];
    if (node.run == nullptr || !node.own.set) continue;  // skips a leaf, and a node that the root does not depend on
    const Arena::Mark mark(scratch_);
    Backward<T> backward(*this, i, {node.own.data, node.value.shape});
    node.run(node.closure, backward);
    backward.finish();
    if (profile) profile->lap(node.op, true, bytes_of_derivative(node));
    if (node.keep) continue;
    recycle(node.own.data, node.value.size());
    node.own = {};
    // No remaining derivative reads the value. Small values, such as a loss, stay readable for callers.
    if (reuse_ && spent_ && node.memory && !node.handed_out && i != root && node.value.size() >= smallest_spent) {
      recycle(std::exchange(node.memory, nullptr), node.value.size());
      node.spent = true;
    }
    if (node.rounded && i != root && node.value.size() >= smallest_spent) give_rounded(node);
  }
}

template <class T>
void Backward<T>::check_broadcasts(const Shape& input) const {
  const auto from = extents4(input), to = extents4(dy_.shape);
  bool fits = input.rank() <= dy_.shape.rank();
  for (int axis = 0; axis < Shape::max_rank; ++axis) fits &= from[axis] == to[axis] || from[axis] == 1;
  check(fits, tape_.nodes_[node_].op,
        "expected an input of the value's shape {} or one that broadcasts to it; got {}. Hint: write the gradient of "
        "an input of another shape with back.sink(i).write(f), where f(j) is its element j",
        dy_.shape, input);
}

template <class T>
bool Backward<T>::needs(int input) const {
  const Node<T>& node = tape_.nodes_[node_];
  check(input >= 0 && input < node.input_count, node.op, "expected one of the {} inputs, counted from 0; got {}",
        node.input_count, input);
  return node.inputs[input] >= 0;
}

template <class T>
Sink<T> Backward<T>::sink(int input) {
  Node<T>& node = tape_.nodes_[node_];
  check(input >= 0 && input < node.input_count && needs(input), node.op,
        "expected one of {} inputs that needs a gradient; got input {}", node.input_count, input);
  Node<T>& source = tape_.nodes_[node.inputs[input]];
  GradSlot<T>& slot = source.slot();
  const Shape& shape = source.value.shape;

  // Two inputs may share a gradient (x * x, tied weights). The second sink is then in scratch until the first is
  // written.
  bool shared = false;
  for (int other = 0; other < node.input_count && other < 64; ++other)
    shared |= other != input && (asked_ >> other & 1) && &tape_.nodes_[node.inputs[other]].slot() == &slot;
  check(input >= 64 || !(asked_ >> input & 1), node.op,
        "expected a derivative that requests each gradient once; got input {} twice", input);
  if (input < 64) asked_ |= std::uint64_t{1} << input;
  if (shared) {
    auto* waiting = static_cast<Waiting*>(tape_.scratch_.allocate(sizeof(Waiting)));
    *waiting = {scratch(shape), &slot, waiting_};
    waiting_ = waiting;
    return {waiting->grad, false};
  }

  if (slot.data == nullptr) slot.data = tape_.gradient_memory(shape.size());
  const bool add = slot.set;
  slot.set = true;
  return {{slot.data, shape}, add};
}

template <class T>
Tensor<T> Backward<T>::take_dy() {
  if (!tape_.nodes_[node_].keep && tape_.reuse_) return dy_;
  const Tensor<T> copy = scratch(dy_.shape);
  kernels::map(copy, [from = dy_](Index i) { return from[i]; });
  return copy;
}

template <class T>
kernels::Factor<T> Backward<T>::factor(const Tensor<const T>& x) {
  if (precision() == Precision::full) return {.data = x.data, .stride = x.cols()};
  return factor(x.shape, [x](Index i) { return x[i]; });
}

template <class T>
void Backward<T>::finish() {
  const Node<T>& node = tape_.nodes_[node_];
  for (int input = 0; input < node.input_count && input < 64; ++input)
    check(!needs(input) || (asked_ >> input & 1), node.op,
          "expected a derivative that requests the gradient of every input that needs one; got none for input {}",
          input);
  for (; waiting_; waiting_ = waiting_->next)
    kernels::accumulate(Tensor<T>{waiting_->slot->data, waiting_->grad.shape}, true,
                        [grad = waiting_->grad](Index i) { return grad[i]; });
}

template class Tape<float>;
template class Tape<double>;
template class Backward<float>;
template class Backward<double>;

}  // namespace glossa
