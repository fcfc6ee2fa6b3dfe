#include "optim/training_file.h"

#include <doctest/doctest.h>

#include <memory>

#include "autograd/ops.h"
#include "autograd/parameter_file.h"
#include "base/check.h"
#include "optim/adam.h"
#include "optim/sgd.h"
#include "tests/support/damaged_files.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// Two parameters, and an optimizer of the given kind.
template <class T>
struct Training {
  ParameterStore<T> store;
  std::unique_ptr<Optimizer<T>> optimizer;

  explicit Training(bool adam = true, std::uint64_t seed = 1) {
    const Initializer random = [](std::span<double> values, const Shape&, RandomStream& stream) {
      for (double& value : values) value = stream.normal();
    };
    store.declare("weight", {3, 7}, random);
    store.declare("bias", {7}, random);
    store.allocate(seed);
    if (adam)
      optimizer = std::make_unique<Adam<T>>(store, trainable_segments(store), AdamOptions{});
    else
      optimizer = std::make_unique<Sgd<T>>(store, trainable_segments(store), SgdOptions{.momentum = 0.9});
  }

  /// One update, with gradients that depend on the number of steps done.
  void step() {
    RandomStream random(static_cast<std::uint64_t>(optimizer->steps()), "gradients");
    store.clear_grads();
    store.fill_unset_grads();
    for (const Parameter<T>* parameter : store.parameters())
      for (Index i = 0; i < parameter->value.size(); ++i) parameter->grad.data[i] = static_cast<T>(random.normal());
    optimizer->step(0.01, 1);
  }

  /// Values, state and steps.
  std::vector<T> numbers() const {
    std::vector<T> all(store.values().begin(), store.values().end());
    for (const StateBuffer<T>& buffer : optimizer->state())
      all.insert(all.end(), buffer.values.begin(), buffer.values.end());
    all.push_back(static_cast<T>(optimizer->steps()));
    return all;
  }
};

}  // namespace

TEST_CASE("loading between forward and backward is noticed") {
  const TemporaryFolder folder;
  Training<double> training;
  save_training(folder / "training", training.store, *training.optimizer);
  Context<double> context;
  context.begin({});
  const Variable<double> y = sum(context.parameter(training.store.at("bias")));
  load_training(folder / "training", training.store, *training.optimizer);
  CHECK_THROWS_WITH_AS(context.backward(y), doctest::Contains("[bias] expected the value that"), Error);
}

TEST_CASE_TEMPLATE("training resumes with the same bits, interrupted at any step", T, float, double) {
  const TemporaryFolder folder;
  for (const bool adam : {true, false}) {
    Training<T> whole(adam);
    for (int i = 0; i < 6; ++i) whole.step();
    for (int stop = 0; stop <= 6; ++stop) {
      CAPTURE(adam);
      CAPTURE(stop);
      Training<T> first(adam);
      for (int i = 0; i < stop; ++i) first.step();
      save_training(folder / "training", first.store, *first.optimizer);
      Training<T> second(adam, /*seed=*/2);
      second.step();
      load_training(folder / "training", second.store, *second.optimizer);
      CHECK_EQ(second.numbers(), first.numbers());
      for (int i = stop; i < 6; ++i) second.step();
      CHECK_EQ(second.numbers(), whole.numbers());
    }
  }
}

TEST_CASE("a file of a training is also one of a model, but not the reverse") {
  const TemporaryFolder folder;
  Training<float> saved;
  saved.step();
  save_training(folder / "training", saved.store, *saved.optimizer);
  save_parameters(folder / "model", saved.store);
  Training<float> loaded(true, 2);
  load_parameters(folder / "training", loaded.store);
  CHECK_EQ(std::vector(loaded.store.values().begin(), loaded.store.values().end()),
           std::vector(saved.store.values().begin(), saved.store.values().end()));
  const std::vector<float> before = loaded.numbers();
  CHECK_EQ(before.back(), 0);
  CHECK_THROWS_WITH_AS(load_training(folder / "model", loaded.store, *loaded.optimizer),
                       doctest::Contains("without optimizer_steps. Hint: load_parameters"), Error);
  CHECK_EQ(loaded.numbers(), before);
}

TEST_CASE("another optimizer's state, or one of a share, is refused") {
  const TemporaryFolder folder;
  const Training<float> saved;
  save_training(folder / "training", saved.store, *saved.optimizer);
  Training<float> other(/*adam=*/false, 2);
  const std::vector<float> before = other.numbers();
  CHECK_THROWS_WITH_AS(load_training(folder / "training", other.store, *other.optimizer),
                       doctest::Contains("missing: 'optimizer:momentum:bias', 'optimizer:momentum:weight'; unexpected: "
                                         "'optimizer:m:bias'"),
                       Error);
  CHECK_EQ(other.numbers(), before);

  const Adam<float> share(saved.store, trainable_segments(saved.store), {}, {.index = 0, .count = 2});
  CHECK_THROWS_WITH_AS(save_training(folder / "share", saved.store, share),
                       doctest::Contains("expected the optimizer of all"), Error);
  CHECK_FALSE(fs::exists(folder / "share"));
}

TEST_CASE_TEMPLATE("two optimizers of one store resume from two files; each refuses the other's", T, float, double) {
  const TemporaryFolder folder;
  struct Towers {
    Training<T> training;
    std::vector<Segment> all = trainable_segments(training.store);
    Adam<T> weight{training.store, segments_of(training.store, {"weight"}, all)};
    Adam<T> bias{training.store, segments_of(training.store, {"bias"}, all), {.beta2 = 0.9}};

    explicit Towers(std::uint64_t seed) : training(true, seed) {}

    void step() {
      RandomStream random(static_cast<std::uint64_t>(weight.steps()), "gradients");
      training.store.clear_grads();
      training.store.fill_unset_grads();
      for (const Parameter<T>* parameter : training.store.parameters())
        for (T& gradient : parameter->grad_tensor().span()) gradient = static_cast<T>(random.normal());
      weight.step(0.01, 1);
      bias.step(0.02, 1);
    }

    std::vector<T> numbers() const {
      std::vector<T> all(training.store.values().begin(), training.store.values().end());
      for (const Adam<T>* optimizer : {&weight, &bias})
        for (const Parameter<T>* parameter : optimizer->parameters())
          for (const StateBuffer<T>& buffer : optimizer->state())
            for (Index i = 0; i < parameter->value.size(); ++i) all.push_back(buffer.values[parameter->offset + i]);
      all.push_back(static_cast<T>(weight.steps()));
      all.push_back(static_cast<T>(bias.steps()));
      return all;
    }
  };
  Towers whole(1);
  for (int i = 0; i < 6; ++i) whole.step();
  for (int stop = 0; stop <= 6; ++stop) {
    CAPTURE(stop);
    Towers first(1);
    for (int i = 0; i < stop; ++i) first.step();
    save_training(folder / "weight", first.training.store, first.weight);
    save_training(folder / "bias", first.training.store, first.bias);
    Towers second(2);
    second.step();
    const std::vector<T> before = second.numbers();
    CHECK_THROWS_WITH_AS(load_training(folder / "weight", second.training.store, second.bias),
                         doctest::Contains("missing: 'optimizer:m:bias', 'optimizer:v:bias'; unexpected: "
                                           "'optimizer:m:weight', 'optimizer:v:weight'"),
                         Error);
    CHECK_THROWS_AS(load_training(folder / "bias", second.training.store, *second.training.optimizer), Error);
    CHECK_EQ(second.numbers(), before);
    load_training(folder / "bias", second.training.store, second.bias);
    load_training(folder / "weight", second.training.store, second.weight);
    CHECK_EQ(second.numbers(), first.numbers());
    for (int i = stop; i < 6; ++i) second.step();
    CHECK_EQ(second.numbers(), whole.numbers());
  }
}

TEST_CASE("damaged files of a training are refused by name or loaded whole") {
  const TemporaryFolder folder;
  Training<float> saved;
  saved.step();
  const fs::path path = folder / "training";
  save_training(path, saved.store, *saved.optimizer);
  const auto read = [&](const fs::path& damaged) {
    Training<float> training(true, 2);
    const std::vector<float> before = training.numbers();
    try {
      load_training(damaged, training.store, *training.optimizer);
    } catch (const Error&) {
      CHECK_EQ(training.numbers(), before);
      throw;
    }
    CHECK_EQ(training.numbers(), saved.numbers());
  };
  CHECK_GT(refused_mutations(path, read), 0.8);

  // A wrong number of steps, in a file whose checksum is right.
  const auto error = [&](const std::string& steps) {
    std::vector<std::vector<float>> values;
    std::vector<NamedTensor<const float>> tensors;
    const SafetensorsReader file(path);
    for (const auto& [name, entry] : file.entries()) values.push_back(file.read<float>(name));
    for (const auto& [name, entry] : file.entries()) tensors.push_back({name, entry.shape, values[tensors.size()]});
    write_safetensors(folder / "steps", tensors, {{"optimizer_steps", steps}});
    return error_of<Error>([&] { read(folder / "steps"); });
  };
  CHECK_EQ(error("1"), "");
  for (const char* steps : {"", "-1", "1 ", "1.5", "9999999999999999999", "x"})
    CHECK_NE(error(steps).find("to be a number of steps"), std::string::npos);
}
