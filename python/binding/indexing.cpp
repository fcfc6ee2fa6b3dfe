#include "python/binding/indexing.h"

#include <nanobind/stl/string.h>

#include "autograd/ops.h"
#include "python/binding/array.h"

namespace glossa::python {

namespace {

/// A part of an index. `axis` is an axis of the result of the parts before it.
struct Part {
  enum class Kind { select, slice, insert } kind;
  int axis;
  Index begin = 0, end = 0;
};

/// True for lists, and for arrays and Variables that have axes.
bool is_array(nb::handle index) {
  return PyList_Check(index.ptr()) || (nb::hasattr(index, "ndim") && nb::cast<int>(index.attr("ndim")) > 0);
}

/// True for an int, including NumPy's, but not for a bool.
bool is_int(nb::handle index) { return PyIndex_Check(index.ptr()) && !PyBool_Check(index.ptr()) && !is_array(index); }

/// Converts row numbers or a mask of rows to the ids that index_select takes.
Ids rows_of_index(nb::handle index, const Shape& shape) {
  const nb::object array = as_array(index);
  if (nb::cast<std::string>(array.attr("dtype").attr("kind")) != "b") return to_ids("index", {array});
  if (nb::cast<int>(array.attr("ndim")) != 1 || shape.rank() == 0 || nb::cast<Index>(array.attr("size")) != shape[0])
    misuse("index",
           "expected a mask with one element per row of {}; got one of shape {}. Hint: masked_fill and where "
           "take masks of elements",
           shape, string_of(array.attr("shape")));
  return to_ids("index", {nb::module_::import_("numpy").attr("flatnonzero")(array)});
}

Index int_within(nb::handle index, Index extent, int axis) {
  const Index given = PyNumber_AsSsize_t(index.ptr(), PyExc_IndexError);
  if (given == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  if (given < -extent || given >= extent)
    throw nb::index_error(fmt::format("index {} is outside axis {} of extent {}", given, axis, extent).c_str());
  return given < 0 ? given + extent : given;
}

Part slice_within(nb::handle slice, Index extent, int axis) {
  Py_ssize_t begin = 0, end = 0, step = 0;
  if (PySlice_Unpack(slice.ptr(), &begin, &end, &step) != 0) throw nb::python_error();
  if (step != 1) misuse("index", "expected slices with step 1; got step {}", step);
  PySlice_AdjustIndices(extent, &begin, &end, step);
  return {Part::Kind::slice, axis, begin, std::max(begin, end)};
}

std::vector<Part> parts_of(const Shape& shape, nb::handle index) {
  const nb::tuple all = PyTuple_Check(index.ptr()) ? nb::borrow<nb::tuple>(index) : nb::make_tuple(index);
  int named = 0;  // number of axes of x that the index names
  int ellipses = 0;
  for (const nb::handle part : all) {
    named += !part.is_none() && !part.is(nb::ellipsis());
    ellipses += part.is(nb::ellipsis());
  }
  if (ellipses > 1) throw nb::index_error("an index can only have a single ellipsis ('...')");
  if (named > shape.rank()) throw nb::index_error(fmt::format("{} indices for {} axes", named, shape.rank()).c_str());
  std::vector<Part> parts;
  int from = 0, to = 0;  // current axes of x and of the result
  for (const nb::handle part : all) {
    if (part.is_none()) {
      parts.push_back({Part::Kind::insert, to++});
    } else if (part.is(nb::ellipsis())) {
      from += shape.rank() - named;
      to += shape.rank() - named;
    } else if (PySlice_Check(part.ptr())) {
      parts.push_back(slice_within(part, shape[from++], to++));
    } else if (is_int(part)) {
      parts.push_back({Part::Kind::select, to, int_within(part, shape[from], from)});
      ++from;
    } else {
      misuse("index", "expected ints, slices, None or ...; got {}. Hint: gather and index_select take arrays",
             nb::cast<std::string>(nb::repr(part)));
    }
  }
  return parts;
}

template <class T>
Variable<T> apply(Variable<T> x, const std::vector<Part>& parts) {
  for (const auto& [kind, axis, begin, end] : parts) {
    if (kind == Part::Kind::select) x = select(x, axis, begin);
    if (kind == Part::Kind::slice && (begin > 0 || end < x.shape()[axis])) x = slice(x, axis, begin, end);
    if (kind == Part::Kind::insert) x = reshape(x, x.shape().inserted(axis, 1));
  }
  return x;
}

}  // namespace

Value element(const Operand& x, const Shape& shape, const nb::object& index) {
  if (is_array(index)) {
    const Ids ids = rows_of_index(index, shape);
    if (ids.extents.size() != 1 || shape.rank() != 2)
      misuse("index",
             "expected a list of rows of a matrix; got one of {} axes for shape {}. Hint: embedding, gather "
             "and index_select take arrays",
             ids.extents.size(), shape);
    return compute(
        "index", [&](auto& v) { return index_select(v, ids.numbers); }, x);
  }
  const std::vector<Part> parts = parts_of(shape, index);
  return compute(
      "index", [&](auto& v) { return apply(v, parts); }, x);
}

}  // namespace glossa::python
