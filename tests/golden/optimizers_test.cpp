// Optimizers, clipping and schedules compared with torch.optim.
#include <doctest/doctest.h>

#include <memory>

#include "optim/adam.h"
#include "optim/clip.h"
#include "optim/lr_schedule.h"
#include "optim/sgd.h"
#include "tests/golden/torch_optimizer.h"
#include "tests/support/golden.h"
#include "train/model/model_factory.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// The parameters of optimizers.safetensors.
template <class T>
struct Parameters {
  explicit Parameters(const Golden<T>& golden) : golden(golden) {
    for (const char* name : {"a", "b"})
      store.declare(name, golden.tensor(fmt::format("start/{}", name)).shape,
                    [](std::span<double>, const Shape&, RandomStream&) {});
    store.allocate(1);
    golden.assign("start/", store);
    for (const char* name : {"a", "b"}) grads.push_back(golden.tensor(fmt::format("grads/{}", name)));
  }

  void set_grads(Index step) {
    store.clear_grads();
    for (std::size_t i = 0; i < grads.size(); ++i) {
      Parameter<T>& parameter = *store.parameters()[i];
      std::copy_n(grads[i].data + step * parameter.value.size(), parameter.value.size(), parameter.grad.data);
      parameter.grad.set = true;
    }
    store.fill_unset_grads();
  }

  const Golden<T>& golden;
  ParameterStore<T> store;
  std::vector<Tensor<T>> grads;  // [10, ...] in name order
};

}  // namespace

TEST_CASE_TEMPLATE("Adam, AdamW and SGD with momentum agree with PyTorch in ten steps with given gradients", T, double,
                   float) {
  const Golden<T> golden("pytorch/optimizers");
  for (const std::string kind : {"adam", "adamw", "sgd"})
    for (const double decay : {0.0, 0.1}) {
      CAPTURE(kind);
      CAPTURE(decay);
      Parameters<T> parameters(golden);
      const auto optimizer = torch_optimizer(kind, parameters.store, decay);
      for (Index step = 0; step < 10; ++step) {
        parameters.set_grads(step);
        optimizer->step(torch_lr(kind), 1);
      }
      for (const Parameter<T>* p : parameters.store.parameters())
        golden.check(fmt::format("{}/{}/{}", kind, decay > 0 ? "decay" : "plain", p->name), p->value);
    }
}

TEST_CASE_TEMPLATE("clipping agrees with clip_grad_norm_ above and below the limit", T, double, float) {
  const Golden<T> golden("pytorch/optimizers");
  for (const std::string name : {"clip_active", "clip_inactive"}) {
    CAPTURE(name);
    Parameters<T> parameters(golden);
    parameters.set_grads(0);
    const double norm = global_norm<T>(parameters.store.grads());
    const double wanted = golden.number(name + "/norm");
    CHECK_LE(std::abs(norm - wanted), golden_limit<T> * wanted);
    const double factor = clip_factor(norm, golden.number(name + "/max_norm"));
    CHECK_EQ(factor < 1, name == "clip_active");
    for (Parameter<T>* p : parameters.store.parameters()) {
      for (T& g : p->grad_tensor().span()) g *= static_cast<T>(factor);
      golden.check(name + "/" + p->name, p->grad_tensor());
    }
  }
}

TEST_CASE("constant, cosine and linear schedules agree with PyTorch, with and without warm-up") {
  const Golden<double> golden("pytorch/schedules");
  using Kind = ScheduleOptions::Kind;
  for (const auto& [kind_name, kind] :
       {std::pair(std::string("constant"), Kind::constant), {"cosine", Kind::cosine}, {"linear", Kind::linear}})
    for (const bool warmup : {false, true}) {
      const std::string name = kind_name + (warmup ? "_warmup" : "");
      std::vector<double> rates = golden.doubles(name);
      // PyTorch counts its steps from 0, at the peak. A warm-up of one update is at the peak in update 1.
      const Schedule schedule({.kind = kind,
                               .lr = 0.1,
                               .warmup = warmup ? 5 : 1,
                               .min_lr = 0.02 * (kind != Kind::constant),
                               .total_updates = std::ssize(rates)});
      for (std::size_t i = 0; i < rates.size(); ++i) {
        CAPTURE(name);
        CAPTURE(i);
        CHECK_LE(std::abs(schedule.lr(static_cast<std::int64_t>(i) + 1) - rates[i]), 1e-10 * 0.1);
      }
    }
}

TEST_CASE("plateau agrees with ReduceLROnPlateau if smaller or larger is better") {
  const Golden<double> golden("pytorch/schedules");
  for (const bool larger : {false, true}) {
    const std::string name = larger ? "plateau_max" : "plateau_min";
    const std::vector<double> rates = golden.doubles(name), metrics = golden.doubles(name + "/metrics");
    Schedule schedule({.kind = ScheduleOptions::Kind::plateau,
                       .lr = 0.1,
                       .min_lr = 0.02,
                       .plateau_factor = 0.5,
                       .plateau_patience = 2});
    for (std::size_t i = 0; i < rates.size(); ++i) {
      CAPTURE(name);
      CAPTURE(i);
      CHECK_LE(std::abs(schedule.lr(static_cast<std::int64_t>(i) + 1) - rates[i]), 1e-10 * 0.1);
      schedule.observe(metrics[i], larger);
    }
  }
}

TEST_CASE("a configuration makes these optimizers and schedules") {
  const Golden<float> steps("pytorch/optimizers");
  for (const std::string kind : {"adam", "adamw", "sgd"}) {
    CAPTURE(kind);
    Parameters<float> parameters(steps);
    const Config config =
        load_config("", {"optim.name=" + kind, "optim.beta1=0.9", "optim.beta2=0.98", "optim.epsilon=1e-8",
                         "optim.momentum=0.9", "optim.weight_decay=0.1", "optim.decay_norm_and_bias=true"});
    const auto optimizer = make_optimizer(config.optim, parameters.store);
    for (Index step = 0; step < 10; ++step) {
      parameters.set_grads(step);
      optimizer->step(torch_lr(kind), 1);
    }
    for (const Parameter<float>* p : parameters.store.parameters())
      steps.check(fmt::format("{}/decay/{}", kind, p->name), p->value);
  }
  const Golden<double> rates("pytorch/schedules");
  for (const std::string name : {"constant", "cosine", "linear", "plateau_min"}) {
    CAPTURE(name);
    const bool plateau = name == "plateau_min";
    const std::vector<double> wanted = rates.doubles(plateau ? name : name + "_warmup");
    const Config config =
        load_config("", {"optim.schedule=" + (plateau ? "plateau" : name), "optim.lr=0.1",
                         plateau ? "optim.warmup=0" : "optim.warmup=5",
                         name == "constant" ? "optim.min_lr=0" : "optim.min_lr=0.02", "optim.plateau_factor=0.5",
                         "optim.plateau_patience=2", fmt::format("optim.total_updates={}", wanted.size())});
    Schedule schedule = make_schedule(config.optim, 8);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      CHECK_LE(std::abs(schedule.lr(static_cast<std::int64_t>(i) + 1) - wanted[i]), 1e-10 * 0.1);
      if (plateau) schedule.observe(rates.doubles(name + "/metrics")[i], false);
    }
  }
}
