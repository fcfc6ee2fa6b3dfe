#include "python/binding/array.h"

#include "base/check.h"

namespace glossa::python {

namespace {

std::vector<std::size_t> extents_of(const Shape& shape) {
  std::vector<std::size_t> extents;
  for (int axis = 0; axis < shape.rank(); ++axis) extents.push_back(static_cast<std::size_t>(shape[axis]));
  return extents;
}

}  // namespace

template <class T>
Array<T> to_array(const Tensor<const T>& tensor) {
  return to_array(tensor.data, extents_of(tensor.shape));
}

Array<int> to_array(const std::vector<int>& indices, const Shape& shape) {
  return to_array(indices.data(), extents_of(shape));
}

template <class T>
Array<T> to_array(const T* numbers, const std::vector<std::size_t>& extents) {
  std::size_t size = 1;
  for (const std::size_t extent : extents) size *= extent;
  T* const copy = new T[size];
  nb::capsule owner(copy, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
  std::copy_n(numbers, size, copy);
  return Array<T>(copy, extents.size(), extents.data(), owner);
}

Shape shape_of_extents(const char* where, std::size_t axes, const std::int64_t* extents) {
  if (axes > Shape::max_rank) misuse(where, "expected at most {} axes; got {}", +Shape::max_rank, axes);
  return Shape(std::span<const Index>(extents, axes));
}

nb::object as_array(nb::handle object) { return nb::module_::import_("numpy").attr("asarray")(object); }

std::string string_of(nb::handle object) { return nb::str(object).c_str(); }

Extents to_tuple(const Shape& shape) {
  nb::list extents;
  for (int axis = 0; axis < shape.rank(); ++axis) extents.append(shape[axis]);
  return Extents(nb::tuple(extents));
}

#define GLOSSA_INSTANTIATE(T)                         \
  template Array<T> to_array(const Tensor<const T>&); \
  template Array<T> to_array(const T*, const std::vector<std::size_t>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa::python
