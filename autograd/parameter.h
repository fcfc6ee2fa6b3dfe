#pragma once

#include <deque>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/arena.h"
#include "autograd/random.h"
#include "autograd/tensor.h"

namespace glossa {

/// Gradient memory, and whether it has been written since last declared empty. The first contribution assigns, later
/// ones add: gradients need no zeroing pass.
template <class T>
struct GradSlot {
  T* data = nullptr;
  bool set = false;
};

/// A named trainable tensor; value and gradient are slices of the store's two flat buffers.
template <class T>
struct Parameter {
  std::string name;  // path, as in PyTorch: "encoder.layers.0.self_attn.in_proj_weight"
  Tensor<T> value;
  GradSlot<T> grad;
  bool trainable = true;  // false: frozen, it gets no gradient
  Index fixed_row = -1;   // of the first dimension: never changes, its gradient is unused; -1: none
  Index offset = 0;       // of value and gradient in the flat buffers, in elements

  Parameter* whole = nullptr;  // of a part: the parameter it belongs to, which decides trainability
  bool has_parts = false;      // if so, gradients go to the parts

  Tensor<T> grad_tensor() const { return {grad.data, value.shape}; }

  /// A part follows its whole.
  bool is_trainable() const { return whole ? whole->trainable : trainable; }
};

/// Fills a fresh parameter; the stream is keyed by seed and name, so no initial value depends on another parameter.
/// Values are drawn in double and rounded: float and double models start alike.
using Initializer = std::function<void(std::span<double> values, const Shape& shape, RandomStream& random)>;

/// All parameters of a model: two flat, 64-byte aligned buffers (values, gradients) in name order. Optimizers,
/// clipping and checkpoints are loops over them. Layers declare their parameters at construction; `allocate` then lays
/// them out. References to parameters stay valid for the store's life.
template <class T>
class ParameterStore {
 public:
  ParameterStore() = default;
  ParameterStore(const ParameterStore&) = delete;
  ParameterStore& operator=(const ParameterStore&) = delete;

  /// Declares a parameter. Throws if the name exists or the store is already laid out.
  Parameter<T>& declare(const std::string& name, const Shape& shape, Initializer initializer);

  /// Rows [begin, end) of a declared parameter as a separate parameter: packed projections are one tensor in files and
  /// optimizers, but several in formulas. Parts are contiguous from the first row; `allocate` throws unless they reach
  /// the last. The whole has no gradient but theirs.
  Parameter<T>& part(Parameter<T>& whole, Index begin, Index end);

  /// Lays out the buffers and draws the initial values from `seed`.
  void allocate(std::uint64_t seed);

  /// True once `allocate` has been called.
  bool laid_out() const { return values_.data() != nullptr; }

  /// In name order, after `allocate`.
  const std::vector<Parameter<T>*>& parameters() const { return sorted_; }

  /// By name; throws if not found.
  Parameter<T>& at(std::string_view name) const;

  /// Flat buffers; gaps between parameters (to 64 bytes) are zero and stay zero.
  std::span<T> values() const { return values_; }
  std::span<T> grads() const { return grads_; }

  /// Number of elements in all parameters, including frozen ones but not gaps.
  Index count() const;

  /// Size of the largest parameter.
  Index largest() const;

  /// True if its gradient was written since declared empty: in all of its parts, if any.
  bool has_grad(const Parameter<T>& parameter) const;

  /// Declares every gradient empty.
  void clear_grads();

  /// Zeroes the gradients of trainable parameters without a contribution, so that their ranges of the flat buffer can
  /// be read. Those of frozen parameters stay as they are: they are never read.
  void fill_unset_grads();

 private:
  Index rows_in_parts(const Parameter<T>& whole) const;

  std::set<std::string> names_;
  std::deque<Parameter<T>> declared_;
  std::deque<Parameter<T>> parts_;
  std::vector<Initializer> initializers_;  // beside declared_
  std::vector<Parameter<T>*> sorted_;
  Arena memory_;
  std::span<T> values_, grads_;
};

}  // namespace glossa
