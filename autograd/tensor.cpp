#include "autograd/tensor.h"

#include "base/check.h"

namespace glossa::bounds {

namespace {

void check_memory(const void* data, const Shape& shape) {
  check(data || shape.size() == 0, "tensor", "expected numbers for shape {}; got a tensor without memory", shape);
}

}  // namespace

void check_count(const Shape& shape, std::size_t numbers) {
  const auto size = static_cast<std::size_t>(shape.size());
  check(numbers == size, "tensor", "expected {} numbers for shape {}; got {}", size, shape, numbers);
}

void check_index(const void* data, const Shape& shape, Index i) {
  check(i >= 0 && i < shape.size(), "tensor", "expected an index in [0, {}) for shape {}; got {}", shape.size(), shape,
        i);
  check_memory(data, shape);
}

void check_row(const void* data, const Shape& shape, Index i) {
  check(i >= 0 && i < shape.rows(), "tensor", "expected a row in [0, {}) for shape {}; got {}", shape.rows(), shape, i);
  check_memory(data, shape);
}

Index position(const void* data, const Shape& shape, std::span<const Index> indices) {
  check(std::ssize(indices) == shape.rank(), "tensor", "expected {} indices for shape {}; got {}", shape.rank(), shape,
        indices.size());
  Index position = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const Index i = indices[axis], extent = shape[axis];
    check(i >= 0 && i < extent, "tensor", "expected an index in [0, {}) for axis {} of shape {}; got {}", extent, axis,
          shape, i);
    position = position * extent + i;
  }
  check_memory(data, shape);
  return position;
}

}  // namespace glossa::bounds
