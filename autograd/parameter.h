#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/arena.h"
#include "autograd/kernels/int8/matrix.h"
#include "autograd/tensor.h"
#include "base/random.h"

namespace glossa {

/// Gradient memory, and whether it has been written since it was last declared empty. The first contribution assigns
/// and later ones add, so gradients need no zeroing pass.
template <class T>
struct GradSlot {
  T* data = nullptr;
  bool set = false;
};

/// A named trainable tensor. Value and gradient are slices of the store's two flat buffers.
template <class T>
struct Parameter {
  std::string name;  // path, as in PyTorch: "encoder.layers.0.self_attn.in_proj_weight"
  Tensor<T> value;
  GradSlot<T> grad;
  bool trainable = true;   // false: frozen, without gradient
  Index fixed_row = -1;    // row that never changes, with an unused gradient; -1: none
  bool is_matrix = false;  // true: only linear layers and embed_tokens, which support int8, read it
  Index offset = 0;        // start of value and gradient in the flat buffers, in elements

  Parameter* whole = nullptr;          // for a part (see ParameterStore::part): the parameter it belongs to; else null
  std::vector<Parameter*> parts = {};  // parts, if any, whose gradients make up this parameter's
  std::uint64_t changes = 0;           // number of calls of `mark_changed`
  const kernels::int8::Weight* in_int8 = nullptr;  // weight in int8; if set, `value` has no numbers (see quantized.h)

  /// Memory of the gradient. While `has_grad()` is false, it holds old numbers. If only some parts have a gradient, the
  /// other parts' rows hold old numbers until an optimizer or `fill_unset_grad` zeroes them.
  Tensor<T> grad_tensor() const { return {grad.data, value.shape}; }

  /// True if trainable; a part is trainable if the parameter it belongs to is.
  bool is_trainable() const { return whole ? whole->trainable : trainable; }

  /// Declares that the value was written. From then on, `backward` refuses forward passes that read the old value, and
  /// PreparedWeights converts the new value again. A frozen parameter is a constant, so `backward` does not notice its
  /// changes. Optimizers, moving averages and readers of files call this function; other code that writes values must
  /// call it as well.
  void mark_changed() { ++(whole ? whole->changes : changes); }

  /// Number of declared changes of the value. A part has the version of its parameter.
  std::uint64_t version() const { return whole ? whole->changes : changes; }

  /// True if the gradient, or any part's gradient, has been written since it was last declared empty.
  bool has_grad() const;

  /// Marks the gradient and all parts' gradients as empty: the next contribution is assigned, not added.
  void clear_grad();

  /// Zeroes the gradient if it is unset and the parameter is trainable. If there are parts, does this for each part
  /// instead.
  void fill_unset_grad();
};

/// Fills a new parameter. `random` is keyed by the seed and the parameter's name, which makes initial values
/// independent of other parameters. Values are drawn in double and then rounded, so float and double models start with
/// the same values.
using Initializer = std::function<void(std::span<double> values, const Shape& shape, RandomStream& random)>;

/// Full name of a parameter or layer in a scope: SCOPE.NAME, or NAME if the scope is empty, as for a layer that is a
/// whole model.
inline std::string in_scope(const std::string& scope, std::string_view name) {
  std::string full = scope;
  if (!full.empty()) full += '.';
  return full += name;
}

/// All parameters of a model: two flat, 64-byte aligned buffers (values, gradients) in name order. Optimizers, clipping
/// and checkpoints are loops over these buffers. Layers declare their parameters at construction; `allocate` then lays
/// them out. References to parameters stay valid for the store's lifetime.
template <class T>
class ParameterStore {
 public:
  ParameterStore() = default;
  ParameterStore(const ParameterStore&) = delete;
  ParameterStore& operator=(const ParameterStore&) = delete;

  /// Declares a parameter. Throws if the name exists or is not allowed in files, if the initializer is empty, or if the
  /// store is already laid out. A name has 1 to 200 bytes of UTF-8, without control characters, slashes, backslashes
  /// and colons, and is not __metadata__.
  Parameter<T>& declare(const std::string& name, const Shape& shape, Initializer initializer);

  /// Returns rows [begin, end) of the declared parameter `whole` as a separate parameter, a part. Parts serve packed
  /// projections, which are one tensor in files and optimizers but several in formulas. The first part begins at row 0,
  /// each other part where the previous one ends. `allocate` throws unless the last part ends at the last row. The
  /// gradient of `whole` consists of its parts' gradients.
  Parameter<T>& part(Parameter<T>& whole, Index begin, Index end);

  /// Lays out the buffers and draws the initial values from `seed`.
  void allocate(std::uint64_t seed);

  /// Lays out the buffers with values of 0, for parameters that will be read from a file. Gradients take memory only
  /// when they are written.
  void allocate_zeros() { lay_out(true); }

  /// As allocate_zeros, but without room for matrices (Parameter::is_matrix), whose numbers will be in int8.
  void allocate_without_matrices() { lay_out(false); }

  /// True once the buffers are laid out.
  bool laid_out() const { return values_.data() != nullptr; }

  /// All parameters in name order; empty before the buffers are laid out.
  const std::vector<Parameter<T>*>& parameters() const { return sorted_; }

  /// The parameter with this name. Throws if not found, or if the buffers are not laid out.
  Parameter<T>& at(std::string_view name) const;

  /// Flat buffers. Every parameter starts at a multiple of 64 bytes; the gaps are zero and stay zero.
  std::span<T> values() const { return values_; }
  std::span<T> grads() const { return grads_; }

  /// Number of elements in all parameters, including frozen ones but not gaps.
  Index count() const;

  /// Size of the largest parameter.
  Index largest() const;

  /// Offset in the flat buffers at which a parameter and the gap after it end. `parameter` must not be a part.
  Index end_of(const Parameter<T>& parameter) const;

  /// Removes the values of a parameter and of its parts, and returns their memory to the system.
  void drop_value(Parameter<T>& parameter);

  /// Marks every gradient as empty: the next contribution to it is assigned, not added.
  void clear_grads() {
    for (Parameter<T>& parameter : declared_) parameter.clear_grad();
  }

  /// Zeroes the gradient of each trainable parameter that received no contribution. Optimizers would otherwise skip
  /// such a parameter; with zeros, weight decay and moments move it, as in `glossa train`. Also call this before
  /// reading `grads`. Gradients of frozen parameters are never read or changed.
  void fill_unset_grads() {
    for (Parameter<T>& parameter : declared_) parameter.fill_unset_grad();
  }

  /// Declares that all values were written (see Parameter::mark_changed).
  void mark_changed() const {
    for (Parameter<T>* parameter : sorted_) parameter->mark_changed();
  }

 private:
  void lay_out(bool with_matrices);

  std::set<std::string> names_;
  std::deque<Parameter<T>> declared_;
  std::deque<Parameter<T>> parts_;
  std::vector<Initializer> initializers_;  // one per element of declared_
  std::vector<Parameter<T>*> sorted_;
  Arena memory_, grad_memory_;
  std::span<T> values_, grads_;
};

}  // namespace glossa
