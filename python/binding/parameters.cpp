#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "autograd/parameter_file.h"
#include "base/check.h"
#include "base/saved_tensors.h"
#include "python/binding/alone.h"
#include "python/binding/arguments.h"
#include "python/binding/array.h"
#include "python/binding/bindings.h"
#include "python/binding/initializer.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

BoundParameter parameter_of(const std::shared_ptr<Store>& store, const std::string& name) {
  return store->visit([&](auto& parameters) { return BoundParameter{store, &parameters.at(name)}; });
}

std::vector<std::string> names_of(Store& store) {
  return store.visit([](auto& parameters) {
    std::vector<std::string> names;
    for (const auto* parameter : parameters.parameters()) names.push_back(parameter->name);
    return names;
  });
}

template <class F>
decltype(auto) visit(const BoundParameter& bound, const F& f) {
  return std::visit([&](auto* parameter) -> decltype(auto) { return f(*parameter); }, bound.parameter);
}

/// Returns the values as a read-only array that shares the store's memory and keeps the store alive.
nb::object view_of(const BoundParameter& bound) {
  return visit(bound, [&]<class T>(Parameter<T>& parameter) {
    std::vector<std::size_t> extents;
    for (int axis = 0; axis < parameter.value.shape.rank(); ++axis)
      extents.push_back(static_cast<std::size_t>(parameter.value.shape[axis]));
    const nb::object owner = nb::cast(bound.store);
    return nb::cast(nb::ndarray<nb::numpy, const T>(parameter.value.data, extents.size(), extents.data(), owner));
  });
}

/// Returns the gradient, or None before backward.
nb::object gradient_of(const BoundParameter& bound) {
  return visit(bound, []<class T>(Parameter<T>& parameter) -> nb::object {
    if (!parameter.has_grad()) return nb::none();
    return nb::cast(to_array(Tensor<const T>(parameter.grad_tensor())));
  });
}

void assign(const BoundParameter& bound, const nb::object& values) {
  visit(bound, [&]<class T>(Parameter<T>& parameter) {
    const nb::object numpy = nb::module_::import_("numpy");
    const auto array = nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(
        numpy.attr("ascontiguousarray")(values, name(precision_of<T>)));
    if (nb::cast<std::size_t>(numpy.attr("ndim")(values)) != static_cast<std::size_t>(parameter.value.shape.rank()) ||
        shape_of("parameter", array) != parameter.value.shape)
      misuse(parameter.name, "expected an array of shape {}; got {}", parameter.value.shape,
             string_of(numpy.attr("shape")(values)));
    const StoreUse use(bound.store, StoreUse::Kind::write_values);
    std::copy_n(array.data(), array.size(), parameter.value.data);
    parameter.mark_changed();
  });
}

using FileNames = std::map<std::string, std::string>;  // names in a file -> names in the store

template <class T>
std::vector<NamedTensor<T>> tensors_of(const ParameterStore<T>& parameters, const FileNames& names) {
  std::vector<NamedTensor<T>> tensors;
  for (const auto& [in_file, name] : names) {
    Parameter<T>* const parameter = &parameters.at(name);
    tensors.push_back(named_tensors<T>(parameters, {&parameter, 1}, parameters.values()).front());
    tensors.back().name = in_file;
  }
  return tensors;
}

}  // namespace

void add_parameters(nb::module_& m) {
  nb::class_<BoundParameter>(m, "Parameter", "A trainable tensor of a module. Within a step it acts as a Variable.")
      .def_prop_ro(
          "name", [](const BoundParameter& bound) { return visit(bound, [](auto& p) { return p.name; }); },
          "Its path, as in PyTorch: `encoder.layers.0.linear1.weight`")
      .def_prop_ro(
          "shape",
          [](const BoundParameter& bound) { return visit(bound, [](auto& p) { return to_tuple(p.value.shape); }); },
          "The extents")
      .def_prop_rw("value", view_of, assign, nb::for_getter(nb::sig("def value(self) -> glossa.typing.Array")),
                   nb::for_setter(nb::sig("def value(self, values: numpy.typing.ArrayLike) -> None")),
                   "The numbers, as a read-only array that follows training; assign an array to change them")
      .def_prop_ro("grad", gradient_of, nb::sig("def grad(self) -> glossa.typing.Array | None"),
                   "A copy of the gradient; None if backward has not reached the parameter since the last update")
      .def_prop_rw(
          "trainable",
          [](const BoundParameter& bound) { return visit(bound, [](auto& p) { return p.is_trainable(); }); },
          [](const BoundParameter& bound, bool trainable) { visit(bound, [&](auto& p) { p.trainable = trainable; }); },
          "False: frozen, without a gradient. Set it before an optimizer is made.")
      .def(
          "clear_grad",
          [](const BoundParameter& bound) {
            const StoreUse use(bound.store, StoreUse::Kind::write_gradients);
            visit(bound, [](auto& p) { p.clear_grad(); });
          },
          "Forgets the gradient, as the optimizer's step does")
      .def(
          "__array__",
          [](const BoundParameter& bound, const nb::object& dtype, const nb::object&) {
            return nb::module_::import_("numpy").attr("array")(view_of(bound), "dtype"_a = dtype);
          },
          "dtype"_a = nb::none(), "copy"_a = nb::none(),
          nb::sig("def __array__(self, dtype: glossa.typing.DtypeLike | None = None, copy: bool | None = None) -> "
                  "glossa.typing.Array"))
      .def("__repr__", [](const BoundParameter& bound) {
        return visit(bound, [](auto& p) { return fmt::format("<glossa.Parameter {} {}>", p.name, p.value.shape); });
      });
  nb::class_<Store>(m, "Store", "The parameters of a module")
      .def(
          "__init__", [](Store* self, const DtypeLike& dtype) { new (self) Store(to_precision("dtype", dtype)); },
          "dtype"_a)
      .def(
          "declare",
          [](Store& store, const std::string& name, const AxesLike& shape, const nb::object& init) {
            const std::vector<Index> extents = to_extents("parameter", shape);
            const Initializer initial = to_initializer(name.c_str(), init);
            store.visit([&](auto& parameters) { parameters.declare(name, Shape(extents), initial); });
          },
          "name"_a, "shape"_a, "init"_a)
      .def(
          "allocate",
          [](const std::shared_ptr<Store>& store, std::uint64_t seed) {
            alone(store, StoreUse::Kind::write_values, [&](auto& parameters) { parameters.allocate(seed); });
          },
          "seed"_a)
      .def_prop_ro("names", names_of)
      .def_prop_ro("dtype", [](const Store& store) { return name(store.precision()); })
      .def("parameter", parameter_of, "name"_a)
      .def(
          "save",
          [](const std::shared_ptr<Store>& store, const std::string& path, const FileNames& names) {
            alone(store, StoreUse::Kind::read_values,
                  [&](auto& parameters) { save_tensors(path, tensors_of(parameters, names)); });
          },
          "path"_a, "names"_a, "Saves parameters as a safetensors file; `names` has their names in the file")
      .def(
          "load",
          [](const std::shared_ptr<Store>& store, const std::string& path, const FileNames& names) {
            alone(store, StoreUse::Kind::write_values, [&](auto& parameters) {
              load_tensors(open_saved_tensors(path), tensors_of(parameters, names), optimizer_prefix);
              for (const auto& [in_file, name] : names) parameters.at(name).mark_changed();
            });
          },
          "path"_a, "names"_a, "Loads parameters from a safetensors file; `names` has their names in the file");
}

}  // namespace glossa::python
