#include "autograd/parameter_file.h"

#include <doctest/doctest.h>

#include <cmath>

#include "autograd/ops.h"
#include "base/check.h"
#include "base/saved_tensors.h"
#include "tests/support/damaged_files.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// A parameter of each rank, one without elements, and one in parts; random values by `seed`.
template <class T>
struct Model {
  ParameterStore<T> store;

  explicit Model(std::uint64_t seed) {
    const Initializer random = [](std::span<double> values, const Shape&, RandomStream& stream) {
      for (double& value : values) value = stream.normal();
    };
    store.declare("scalar", {}, random);
    store.declare("bias", {5}, random);
    store.declare("empty", {0, 3}, random);
    store.declare("kernel", {2, 3, 2, 2}, random);
    Parameter<T>& packed = store.declare("packed", {6, 2}, random);
    store.part(packed, 0, 2);
    store.part(packed, 2, 6);
    store.allocate(seed);
    store.at("bias").trainable = false;
  }

  std::vector<T> values() const { return {store.values().begin(), store.values().end()}; }
};

}  // namespace

TEST_CASE_TEMPLATE("a saved model is loaded with the same bits", T, float, double) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model<T> saved(seed);
    saved.store.values()[0] = std::nextafter(T{1}, T{2});
    save_parameters(folder / "model", saved.store);
    Model<T> loaded(seed + 100);
    CHECK_NE(loaded.values(), saved.values());
    load_parameters(folder / "model", loaded.store);
    CHECK_EQ(loaded.values(), saved.values());
  }
  const SafetensorsReader file(folder / "model");
  CHECK_EQ(file.entries().size(), 5);
  CHECK_EQ(file.entries().at("kernel").dtype, sizeof(T) == 4 ? "F32" : "F64");
  CHECK_EQ(file.entries().at("kernel").shape, std::vector<std::uint64_t>{2, 3, 2, 2});
  CHECK(file.entries().at("scalar").shape.empty());
}

TEST_CASE("loading between forward and backward is noticed, unless it fails") {
  const TemporaryFolder folder;
  Model<double> model(1);
  save_parameters(folder / "model", model.store);
  Context<double> context;
  context.begin({});
  const Variable<double> scalar = context.parameter(model.store.at("scalar")), y = square(scalar);
  CHECK_THROWS_AS(load_parameters(folder / "missing", model.store), Error);
  CHECK_NOTHROW(context.backward(y, /*keep_graph=*/true));
  load_parameters(folder / "model", model.store);
  CHECK_THROWS_WITH_AS(context.backward(y), doctest::Contains("[scalar] expected the value that"), Error);
}

TEST_CASE("a model is loaded into the other type: exactly into double, rounded into float") {
  const TemporaryFolder folder;
  const Model<float> narrow(1);
  save_parameters(folder / "narrow", narrow.store);
  Model<double> wide(2);
  load_parameters(folder / "narrow", wide.store);
  for (const Parameter<double>* parameter : wide.store.parameters())
    for (Index i = 0; i < parameter->value.size(); ++i)
      CHECK_EQ(parameter->value[i], double{narrow.store.at(parameter->name).value[i]});

  wide.store.at("scalar").value[0] = 0.1;
  save_parameters(folder / "wide", wide.store);
  Model<float> rounded(3);
  load_parameters(folder / "wide", rounded.store);
  CHECK_EQ(rounded.store.at("scalar").value[0], 0.1F);
}

TEST_CASE("another model is refused, and its values stay") {
  const TemporaryFolder folder;
  const auto error = [&](const std::function<void(ParameterStore<float>&)>& declare) {
    ParameterStore<float> saved;
    declare(saved);
    saved.allocate(1);
    save_parameters(folder / "other", saved);
    Model<float> model(2);
    const std::vector<float> before = model.values();
    const std::string text = error_of<Error>([&] { load_parameters(folder / "other", model.store); });
    CHECK_EQ(model.values(), before);
    return text;
  };
  const Initializer zeros = [](std::span<double>, const Shape&, RandomStream&) {};
  const std::string text = error([&](ParameterStore<float>& store) {
    store.declare("scalar", {}, zeros);
    store.declare("bias", {1, 5}, zeros);
    store.declare("kernel", {2, 3, 2, 2}, zeros);
    store.declare("packed", {6, 2}, zeros);
    store.declare("weight", {4}, zeros);
  });
  CHECK_EQ(text, "[" + (folder / "other").string() +
                     "] expected the model's names and shapes; got missing: 'empty'; unexpected: 'weight'; other "
                     "shapes: 'bias' [1, 5], not [5]. Hint: create the model and its optimizer as when saving");
}

TEST_CASE("damaged models are refused by name or loaded whole, and a refused one changes nothing") {
  const TemporaryFolder folder;
  const Model<float> saved(1);
  const fs::path path = folder / "model";
  save_parameters(path, saved.store);
  const auto read = [&](const fs::path& damaged) {
    Model<float> model(2);
    const std::vector<float> before = model.values();
    try {
      load_parameters(damaged, model.store);
    } catch (const Error&) {
      CHECK_EQ(model.values(), before);
      throw;
    }
    CHECK_EQ(model.values(), saved.values());
  };
  CHECK_GT(refused_mutations(path, read), 0.8);
  fs::resize_file(path, fs::file_size(path) - 1);
  CHECK_THROWS_AS(read(path), Error);
  CHECK_THROWS_WITH_AS(read(folder / "none"), doctest::Contains("No such file"), Error);
}

TEST_CASE("a store that is not laid out is neither saved nor loaded") {
  const TemporaryFolder folder;
  ParameterStore<double> store;
  store.declare("weight", {2}, [](std::span<double>, const Shape&, RandomStream&) {});
  CHECK_THROWS_WITH_AS(save_parameters(folder / "x", store), doctest::Contains("call allocate() first"), Error);
  CHECK_THROWS_WITH_AS(load_parameters(folder / "x", store), doctest::Contains("call allocate() first"), Error);
  CHECK_FALSE(fs::exists(folder / "x"));
}

TEST_CASE("a number beyond float's range is not loaded as infinity") {
  const TemporaryFolder folder;
  Model<double> wide(1);
  Model<float> narrow(2);
  const std::vector<float> before = narrow.values();
  for (const double number : {1e300, -3.5e38}) {
    wide.store.at("kernel").value[3] = number;
    save_parameters(folder / "wide", wide.store);
    CHECK_THROWS_WITH_AS(load_parameters(folder / "wide", narrow.store),
                         doctest::Contains("expected numbers of 'kernel' in float's range, up to 3.4e38; got "), Error);
    CHECK_EQ(narrow.values(), before);
  }
  for (const double number : {3.4e38, -HUGE_VAL}) {  // infinity itself is loaded as it is
    wide.store.at("kernel").value[3] = number;
    save_parameters(folder / "wide", wide.store);
    load_parameters(folder / "wide", narrow.store);
    CHECK_EQ(narrow.store.at("kernel").value[3], static_cast<float>(number));
  }
}

TEST_CASE("saving without a name is an Error") {
  const Model<float> model(1);
  CHECK_THROWS_WITH_AS(save_parameters("", model.store), doctest::Contains("[path] expected the name of a file"),
                       Error);
}
