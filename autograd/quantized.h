#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "autograd/arena.h"
#include "autograd/parameter.h"

namespace glossa {

/// The matrices of a store in int8: parameters that only linear layers and embed_tokens read (Parameter::is_matrix).
/// The int8 numbers replace the float numbers, whose memory returns to the system. From then on, the model supports
/// only steps with Precision::int8. Biases, norms, learned positions and parameters of similarities stay in float.
class QuantizedMatrices {
 public:
  QuantizedMatrices() = default;

  /// Adds all matrices of a store and drops their values. This object must outlive any use of the model.
  explicit QuantizedMatrices(ParameterStore<float>& store);

  /// Allocates huge pages for all matrices of a store; call it before adding the first. With smaller pages, TLB misses
  /// would take much of the time of products with few rows, which read each weight once.
  void make_room(const ParameterStore<float>& store);

  /// Quantizes each row of `matrix`, whose numbers are `values`, to at most 255 levels, on all threads (see
  /// kernels/int8/quantize.h). Throws if the matrix has more than 65,536 columns. The caller drops the value.
  void add(Parameter<float>& matrix, std::span<const float> values);

  /// Sets the numbers of a matrix or part: panels and scales as in kernels::int8::Weight, in memory whose owner is
  /// passed to `keep`. Throws an error that names `where` if neighboring codes sum to more than max_pair
  /// (kernels/int8/quantize.h). The caller drops the value.
  void take(Parameter<float>& matrix, const std::uint32_t* panels, const float* scales, const std::string& where);

  /// Keeps the owner of memory passed to `take`.
  void keep(std::shared_ptr<const void> memory) { kept_.push_back(std::move(memory)); }

  QuantizedMatrices(const QuantizedMatrices&) = delete;
  QuantizedMatrices& operator=(const QuantizedMatrices&) = delete;

 private:
  void quantize(Parameter<float>& piece, const float* values);
  void set(Parameter<float>& matrix, const std::uint32_t* panels, const float* scales, const std::int32_t* sums);

  Arena memory_;
  std::vector<std::shared_ptr<const void>> kept_;
  std::deque<kernels::int8::Weight> weights_;
};

/// The matrices that products read: the parts of `matrix` or, if it has none, `matrix` itself.
std::vector<Parameter<float>*> pieces_of(Parameter<float>& matrix);

}  // namespace glossa
