#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <vector>

#include "autograd/tensor.h"

namespace glossa::python {

namespace nb = nanobind;

/// A NumPy array of any shape.
template <class T>
using Array = nb::ndarray<nb::numpy, T>;

/// Copies numbers into an array that Python owns.
template <class T>
Array<T> to_array(const Tensor<const T>& tensor);
template <class T>
Array<T> to_array(const T* numbers, const std::vector<std::size_t>& extents);

/// Returns indices as an array of the given shape.
Array<int> to_array(const std::vector<int>& indices, const Shape& shape);

Shape shape_of_extents(const char* where, std::size_t axes, const std::int64_t* extents);

/// Returns the array's shape. Throws an Error at `where` for more than four axes.
template <class Given>
Shape shape_of(const char* where, const Given& array) {
  return shape_of_extents(where, array.ndim(), array.shape_ptr());
}

/// Converts the object to a NumPy array with numpy.asarray.
nb::object as_array(nb::handle object);

/// Returns str(object).
std::string string_of(nb::handle object);

/// A Shape as a tuple of ints.
using Extents = nb::typed<nb::tuple, int, nb::ellipsis>;
Extents to_tuple(const Shape& shape);

}  // namespace glossa::python
