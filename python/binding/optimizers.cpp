#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "base/check.h"
#include "optim/adam.h"
#include "optim/clip.h"
#include "optim/lr_schedule.h"
#include "optim/moving_average.h"
#include "optim/sgd.h"
#include "optim/training_file.h"
#include "python/binding/bindings.h"
#include "python/binding/optimizer.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

/// The parameters that an optimizer trains.
struct Trained {
  std::vector<std::string> names;
  std::map<std::string, double> lr_factors;  // factors of the named parameters; 1 for all others
  double weight_decay = 0;
  bool decay_norm_and_bias = false;
};

template <class T>
std::vector<Segment> to_segments(const ParameterStore<T>& parameters, const Trained& trained) {
  std::vector<ParameterGroup> groups;
  for (const auto& [name, factor] : trained.lr_factors) groups.push_back({.pattern = name, .lr_factor = factor});
  const std::vector<Segment> all =
      trainable_segments(parameters, trained.weight_decay, trained.decay_norm_and_bias, groups);
  return segments_of(parameters, trained.names, std::span<const Segment>(all));
}

/// Makes an optimizer. `make` takes a ParameterStore<T> and returns a pointer to an Optimizer<T>.
template <class Make>
BoundOptimizer make_bound(const std::shared_ptr<Store>& store, const Make& make) {
  return store->visit([&]<class T>(ParameterStore<T>& parameters) {
    return BoundOptimizer(store, std::unique_ptr<Optimizer<T>>(make(parameters)));
  });
}

BoundOptimizer make_adam(const std::shared_ptr<Store>& store, const Trained& trained, std::pair<double, double> betas,
                         double eps, bool decoupled) {
  return make_bound(store, [&]<class T>(ParameterStore<T>& parameters) {
    return std::make_unique<Adam<T>>(
        parameters, to_segments(parameters, trained),
        AdamOptions{.beta1 = betas.first, .beta2 = betas.second, .epsilon = eps, .decoupled = decoupled});
  });
}

BoundOptimizer make_sgd(const std::shared_ptr<Store>& store, const Trained& trained, double momentum, bool nesterov) {
  return make_bound(store, [&]<class T>(ParameterStore<T>& parameters) {
    return std::make_unique<Sgd<T>>(parameters, to_segments(parameters, trained),
                                    SgdOptions{.momentum = momentum, .nesterov = nesterov});
  });
}

/// Updates the optimizer's parameters once, then clears their gradients.
void update(BoundOptimizer& bound, double lr, double gradient_scale) {
  bound.alone(StoreUse::Kind::write_values, [&](auto& optimizer, auto&) {
    const auto parameters = optimizer.parameters();
    if (std::ranges::none_of(parameters, [](const auto* parameter) { return parameter->has_grad(); }))
      misuse(
          "step",
          "expected gradients; got none since the last update. Hint: call loss.backward() before step(); the loss must "
          "be of the optimizer's own module, and init() must come before the optimizer");
    for (auto* parameter : parameters) parameter->fill_unset_grad();
    optimizer.step(lr, gradient_scale);
    for (auto* parameter : parameters) parameter->clear_grad();
  });
}

void clear_grads_of(BoundOptimizer& bound) {
  bound.alone(StoreUse::Kind::write_gradients, [](auto& optimizer, auto&) {
    for (auto* parameter : optimizer.parameters()) parameter->clear_grad();
  });
}

double norm_of_grads(BoundOptimizer& bound) {
  return bound.alone(StoreUse::Kind::write_gradients, [](auto& optimizer, auto&) { return optimizer.grad_norm(); });
}

void save_state(BoundOptimizer& bound, const std::string& path) {
  bound.alone(StoreUse::Kind::read_values,
              [&](auto& optimizer, auto& parameters) { save_training(path, parameters, optimizer); });
}

void load_state(BoundOptimizer& bound, const std::string& path) {
  bound.alone(StoreUse::Kind::write_values,
              [&](auto& optimizer, auto& parameters) { load_training(path, parameters, optimizer); });
}

/// A moving average of all parameters in a store.
class BoundAverage {
 public:
  BoundAverage(std::shared_ptr<Store> store, double decay)
      : store_(std::move(store)), average_(store_->visit([&]<class T>(ParameterStore<T>& parameters) {
          return Either(std::make_unique<MovingAverage<T>>(parameters, decay));
        })) {}

  void update() {
    alone(store_, StoreUse::Kind::write_values, [&]<class T>(ParameterStore<T>&) {
      std::get<std::unique_ptr<MovingAverage<T>>>(average_)->update(++updates_);
    });
  }

  void exchange() {
    alone(store_, StoreUse::Kind::write_values,
          [&]<class T>(ParameterStore<T>&) { std::get<std::unique_ptr<MovingAverage<T>>>(average_)->exchange(); });
  }

 private:
  using Either = std::variant<std::unique_ptr<MovingAverage<float>>, std::unique_ptr<MovingAverage<double>>>;

  std::shared_ptr<Store> store_;
  Either average_;
  std::int64_t updates_ = 0;
};

using Kind = ScheduleOptions::Kind;

Kind to_kind(const std::string& name) {
  constexpr const char* names[] = {"constant", "noam", "inverse_sqrt", "cosine", "linear", "plateau"};
  const auto found = std::ranges::find(names, name);
  if (found == std::end(names))
    misuse("Schedule", "expected constant, noam, inverse_sqrt, cosine, linear or plateau; got '{}'", name);
  return static_cast<Kind>(found - names);
}

void add_schedule(nb::module_& m) {
  nb::class_<Schedule>(
      m, "Schedule",
      "The learning rate of an update, `schedule(n)` with n from 1. It rises to `lr` in `warmup` updates. Then it "
      "stays (constant), is lr sqrt(warmup / n) (inverse_sqrt), or falls: to min_lr at total_updates (cosine, linear), "
      "or by plateau_factor after plateau_patience validations without improvement, which `observe` counts (plateau). "
      "noam is factor width^-0.5 min(n^-0.5, n warmup^-1.5) (Vaswani et al. 2017).")
      .def(
          "__init__",
          [](Schedule* self, const std::string& kind, double lr, std::int64_t warmup, double warmup_init_lr,
             double min_lr, std::int64_t total_updates, double factor, std::int64_t width, double plateau_factor,
             std::int64_t plateau_patience) {
            new (self) Schedule({.kind = to_kind(kind),
                                 .lr = lr,
                                 .warmup = warmup,
                                 .warmup_init_lr = warmup_init_lr,
                                 .min_lr = min_lr,
                                 .total_updates = total_updates,
                                 .factor = factor,
                                 .width = width,
                                 .plateau_factor = plateau_factor,
                                 .plateau_patience = plateau_patience});
          },
          "kind"_a = "constant", nb::kw_only(), "lr"_a = 1e-3, "warmup"_a = 0, "warmup_init_lr"_a = 0.0,
          "min_lr"_a = 0.0, "total_updates"_a = 0, "factor"_a = 1.0, "width"_a = 512, "plateau_factor"_a = 0.5,
          "plateau_patience"_a = 3)
      .def("__call__", &Schedule::lr, "update"_a, "The learning rate of update `update`, from 1")
      .def("observe", &Schedule::observe, "metric"_a, "larger_is_better"_a = false,
           "Passes a validation's metric to a plateau schedule; others ignore it");
}

}  // namespace

void add_optimizers(nb::module_& m) {
  nb::class_<Trained>(m, "Trained")
      .def(
          "__init__",
          [](Trained* self, const std::vector<std::string>& names, const std::map<std::string, double>& lr_factors,
             double weight_decay, bool decay_norm_and_bias) {
            new (self) Trained{names, lr_factors, weight_decay, decay_norm_and_bias};
          },
          "names"_a, "lr_factors"_a, "weight_decay"_a, "decay_norm_and_bias"_a);
  nb::class_<BoundOptimizer>(m, "BoundOptimizer")
      .def("step", update, "lr"_a, "gradient_scale"_a)
      .def("zero_grad", clear_grads_of)
      .def("grad_norm", norm_of_grads)
      .def("save", save_state, "path"_a)
      .def("load", load_state, "path"_a)
      .def_prop_ro("store", &BoundOptimizer::store)
      .def_prop_ro("steps", &BoundOptimizer::steps);
  m.def("adam", make_adam, "store"_a, "trained"_a, "betas"_a, "eps"_a, "decoupled"_a);
  m.def("sgd", make_sgd, "store"_a, "trained"_a, "momentum"_a, "nesterov"_a);
  m.def("clip_factor", clip_factor, "norm"_a, "max_norm"_a,
        "The factor that limits gradients of this norm to max_norm, min(1, max_norm / (norm + 1e-6)); 1 if max_norm is "
        "0");
  nb::class_<BoundAverage>(m, "BoundAverage")
      .def(nb::init<std::shared_ptr<Store>, double>(), "store"_a, "decay"_a)
      .def("update", &BoundAverage::update)
      .def("exchange", &BoundAverage::exchange);
  add_schedule(m);
}

}  // namespace glossa::python
