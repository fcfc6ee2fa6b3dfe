#include <nanobind/stl/function.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "autograd/grad_check.h"
#include "python/binding/array.h"
#include "python/binding/bindings.h"
#include "python/binding/operand.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

/// Begins a step around a context, and ends it at the end of the scope.
struct StepScope {
  std::shared_ptr<Step> step;
  explicit StepScope(Context<double>& context) : step(std::make_shared<Step>(context)) { Step::begin(step); }
  ~StepScope() { step->end(); }
};

/// Checks the gradients of function(*inputs), and of the store's parameters if there is one.
GradCheckResult check_gradients(const nb::callable& function, const nb::args& given,
                                const std::shared_ptr<Store>& store, const GradCheckOptions& options) {
  std::vector<std::vector<double>> numbers;
  std::vector<Tensor<double>> inputs;
  for (const nb::handle input : given) {
    const auto array = nb::cast<nb::ndarray<const double, nb::c_contig, nb::device::cpu>>(
        nb::module_::import_("numpy").attr("ascontiguousarray")(input, "float64"));
    std::vector<double>& copy = numbers.emplace_back(array.data(), array.data() + array.size());
    inputs.emplace_back(copy.data(), shape_of("grad_check", array));
  }
  std::vector<std::shared_ptr<Store>> used;  // stores that the last call used; its tape refers to them
  Computing computing;
  const GradCheckFunction traced = [&](Context<double>& context, std::span<const Variable<double>> variables) {
    return computing.pause([&] {
      const StepScope scope(context);
      nb::list arguments;
      for (const Variable<double>& variable : variables) arguments.append(Value(scope.step, variable));
      const Variable<double> result = as_variable<double>("grad_check", *scope.step, {function(*arguments)});
      used = scope.step->stores();
      return result;
    });
  };
  if (!store) return grad_check(traced, inputs, options);
  return grad_check(traced, inputs, store->get<double>(), options);
}

const char* verdict_of(const GradCheckResult& result) {
  switch (result.verdict()) {
    case Verdict::right:
      return "right";
    case Verdict::wrong:
      return "wrong";
    default:
      return "undecided";
  }
}

/// Returns a dict from a tensor's name to its array.
nb::dict by_tensor(const GradCheckResult& result, const std::function<nb::object(const TensorCheck&)>& array) {
  nb::dict arrays;
  for (const TensorCheck& tensor : result.tensors) arrays[tensor.name.c_str()] = array(tensor);
  return arrays;
}

nb::dict errors_of(const GradCheckResult& result) {
  return by_tensor(result, [](const TensorCheck& tensor) {
    return nb::cast(to_array<double>({tensor.errors.data(), tensor.shape}));
  });
}

nb::dict verdicts_of(const GradCheckResult& result) {
  return by_tensor(result, [](const TensorCheck& tensor) {
    std::vector<int> numbers;
    for (const Verdict verdict : tensor.verdicts) numbers.push_back(static_cast<int>(verdict));
    return nb::cast(to_array(numbers, tensor.shape));
  });
}

}  // namespace

void add_gradient_check(nb::module_& m) {
  nb::class_<GradCheckResult>(
      m, "GradCheck",
      "The comparison of gradients from backward with differences. True if it proves them right; "
      "as text, it begins with the verdict and describes the worst element.")
      .def_prop_ro("passes", &GradCheckResult::passes,
                   "True if every compared element is right and every input has an effect")
      .def_prop_ro("verdict", verdict_of, "right, wrong or undecided")
      .def_ro("worst_error", &GradCheckResult::worst_error, "The largest relative error of an element")
      .def_ro("elements", &GradCheckResult::elements, "The number of elements compared")
      .def_ro("wrong", &GradCheckResult::wrong, "The number of wrong elements")
      .def_ro("undecided", &GradCheckResult::undecided, "The number of elements that differences cannot decide")
      .def_ro("worst_name", &GradCheckResult::worst_name, "The tensor of the worst element: `input 1` or a parameter")
      .def_ro("worst_index", &GradCheckResult::worst_index, "The index of the worst element, in row-major order")
      .def_prop_ro(
          "errors", errors_of,
          nb::for_getter(nb::sig("def errors(self, /) -> dict[str, numpy.typing.NDArray[numpy.float64]]")),
          "The relative error of each element, by tensor: `input 1` or a parameter; NaN if it was not compared")
      .def_prop_ro("verdicts", verdicts_of,
                   nb::for_getter(nb::sig("def verdicts(self, /) -> dict[str, numpy.typing.NDArray[numpy.int32]]")),
                   "0 for a right, 1 for a wrong and 2 for an undecided element, which includes those not compared")
      .def("__bool__", &GradCheckResult::passes)
      .def("__str__", &GradCheckResult::describe)
      .def(
          "_repr_html_",
          [](const GradCheckResult& result) {
            return nb::module_::import_("glossa.notebook")
                .attr("proof")(verdict_of(result), result.describe(), errors_of(result), verdicts_of(result));
          },
          nb::sig("def _repr_html_(self) -> str"))
      .def("__repr__", [](const GradCheckResult& result) { return "<glossa.GradCheck: " + result.describe() + ">"; });
  m.def(
      "grad_check",
      [](const nb::callable& function, const nb::args& inputs, const std::shared_ptr<Store>& store, double limit,
         double floor, double step, Index max_elements, const std::vector<bool>& requires_grad, bool training,
         std::uint64_t seed) {
        const GradCheckOptions options{.limit = limit,
                                       .floor = floor,
                                       .step = step,
                                       .requires_grad = requires_grad,
                                       .max_elements = max_elements,
                                       .context = {.training = training, .seed = seed}};
        return check_gradients(function, inputs, store, options);
      },
      "function"_a, "inputs"_a, nb::kw_only(), "store"_a.none(), "limit"_a, "floor"_a, "step"_a, "max_elements"_a,
      "requires_grad"_a, "training"_a, "seed"_a,
      nb::sig("def grad_check(function: collections.abc.Callable[..., typing.Any], *inputs: numpy.typing.ArrayLike, "
              "store: Store | None, limit: float, floor: float, step: float, max_elements: int, "
              "requires_grad: collections.abc.Sequence[bool], training: bool, seed: int) -> GradCheck"),
      "The function behind glossa.grad_check");
}

}  // namespace glossa::python
