#include "python/binding/step.h"

#include <algorithm>

#include "base/check.h"
#include "python/binding/bindings.h"
#include "python/binding/layer_options.h"
#include "python/binding/operand.h"

namespace glossa::python {

thread_local std::shared_ptr<Step> Step::current_;
thread_local std::unique_ptr<Step::Contexts> Step::spare_;

void Step::begin(const std::shared_ptr<Step>& step) {
  if (current_)
    misuse("step",
           "expected no step within another; got one. Hint: end the first `with glossa.step()`; value_and_grad and "
           "grad_check open a step of their own");
  if (step->has_begun_) misuse("step", "expected a new step; got one that has ended. Hint: call glossa.step() again");
  step->has_begun_ = true;
  if (!step->double_) {
    step->own_ = spare_ ? std::move(spare_) : std::make_unique<Contexts>();
    const auto start = [&](auto& context) {
      context.set_reuse(step->options_.reuse);
      context.begin(step->options_.step);
    };
    start(step->own_->single);
    start(step->own_->twice);
    step->single_ = &step->own_->single;
    step->double_ = &step->own_->twice;
  }
  current_ = step;
}

void Step::end() {
  if (current_.get() != this)
    misuse("step", "expected this thread's step; got {}",
           has_ended()  ? "one that has ended"
           : has_begun_ ? "another thread's"
                        : "one that has not begun");
  single_ = nullptr;
  double_ = nullptr;
  stores_.clear();
  if (own_) spare_ = std::move(own_);
  current_.reset();
}

const std::shared_ptr<Step>& Step::current(const char* where) {
  if (!current_)
    misuse(where,
           "expected a step; got none in this thread. Hint: compute within `with glossa.step():`, or with "
           "glossa.value_and_grad. Variables end with their step: read numbers within it, as x.item() or x.numpy()");
  return current_;
}

void Step::keep(const std::shared_ptr<Store>& store) {
  if (std::ranges::find(stores_, store) == stores_.end()) stores_.push_back(store);
}

namespace {

using nb::literals::operator""_a;

/// Makes an array or a number a leaf of the step.
template <class F>
Value leaf(const char* where, const Operand& array, const F& make) {
  const std::shared_ptr<Step>& step = Step::current(where);
  return with_type(common_precision({&array, 1}),
                   [&](auto type) { return Value(step, make(decltype(type)(), *step)); });
}

}  // namespace

void add_step(nb::module_& m) {
  nb::class_<Step>(
      m, "step",
      "A step of the engine, `with glossa.step(training=True, seed=1, update=n):`. Variables and gradients "
      "of the step end with it, and its memory serves the next one. Dropout is active if `training`. Seed "
      "and update determine its masks; without `update`, the thread's steps are numbered from 0. Without "
      "`recording` there are no gradients. With `reuse`, backward and some ops reuse the memory of values "
      "that they no longer need: reading such a value then raises an Error. With precision \"bf16\", products of "
      "float32 round their factors to bfloat16.")
      .def(
          "__init__",
          [](Step* self, bool training, bool recording, std::uint64_t seed, std::optional<std::uint64_t> update,
             bool reuse, const nb::str& precision) {
            const StepOptions options{.training = training,
                                      .recording = recording,
                                      .seed = seed,
                                      .update = update,
                                      .precision = to_product_precision("step.precision", precision)};
            new (self) Step({.step = options, .reuse = reuse});
          },
          nb::kw_only(), "training"_a = false, "recording"_a = true, "seed"_a = 1, "update"_a = nb::none(),
          "reuse"_a = false, "precision"_a = "float")
      .def("__enter__",
           [](const std::shared_ptr<Step>& step) {
             Step::begin(step);
             return step;
           })
      .def(
          "__exit__", [](Step& step, const nb::args&) { step.end(); },
          nb::sig("def __exit__(self, *args: object) -> None"));
  m.def(
      "variable",
      [](const Operand& array) {
        return leaf("variable", array,
                    [&](auto type, Step& step) { return as_input<decltype(type)>("variable", step, array); });
      },
      "array"_a, "A copy of the array as a variable that gets a gradient");
  m.def(
      "constant",
      [](const Operand& array) {
        return leaf("constant", array,
                    [&](auto type, Step& step) { return as_variable<decltype(type)>("constant", step, array); });
      },
      "array"_a, "A copy of the array as a variable without a gradient");
}

}  // namespace glossa::python
