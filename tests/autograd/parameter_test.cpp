#include "autograd/parameter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "autograd/context.h"
#include "autograd/ops.h"
#include "base/check.h"

using namespace glossa;

namespace {

/// A store with one matrix of 6 rows, not laid out yet.
struct Declared {
  ParameterStore<double> store;
  Parameter<double>& whole = store.declare("weight", {6, 2}, [](std::span<double> values, const Shape&, RandomStream&) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  });
};

}  // namespace

TEST_CASE_FIXTURE(Declared, "parts are rows of the whole, each with its own gradient slot") {
  Parameter<double>& other = store.declare("other", {3, 2}, [](std::span<double>, const Shape&, RandomStream&) {});
  Parameter<double>&first = store.part(whole, 0, 2), &all = store.part(other, 0, 3), &second = store.part(whole, 2, 6);
  store.allocate(1);
  CHECK(first.value.shape == Shape{2, 2});
  CHECK(first.value.data == whole.value.data);
  CHECK(second.value[0] == 4);
  CHECK(second.grad.data == whole.grad.data + 4);
  CHECK(all.grad.data == other.grad.data);
  first.grad.set = true;
  CHECK(whole.has_grad());
  CHECK_FALSE(second.has_grad());
  CHECK_FALSE(other.has_grad());
  store.clear_grads();
  CHECK_FALSE(whole.has_grad());
}

TEST_CASE_FIXTURE(Declared, "unset gradients are filled with zeros, part by part; set and frozen ones are kept") {
  Parameter<double>& frozen = store.declare("frozen", {3}, [](std::span<double>, const Shape&, RandomStream&) {});
  Parameter<double>&first = store.part(whole, 0, 2), &second = store.part(whole, 2, 6);
  store.allocate(1);
  frozen.trainable = false;
  std::ranges::fill(store.grads(), 7.0);
  first.grad.set = true;
  store.fill_unset_grads();
  CHECK(second.has_grad());
  CHECK(first.grad.data[3] == 7);
  CHECK(second.grad.data[0] == 0);
  CHECK(second.grad.data[7] == 0);
  CHECK(frozen.grad.data[0] == 7);
  CHECK_FALSE(frozen.has_grad());
}

TEST_CASE_FIXTURE(Declared, "reading the gradient of an unused parameter shows zeros and leaves it unset") {
  Parameter<double>& unused = store.declare("unused", {3}, [](std::span<double>, const Shape&, RandomStream&) {});
  store.allocate(1);
  std::ranges::fill(store.grads(), 7.0);
  Context<double> context;
  context.begin({});
  const Variable<double> leaf = context.parameter(unused);
  context.backward(sum(context.parameter(whole)));
  const Tensor<const double> grad = leaf.grad();
  CHECK(std::ranges::equal(grad.span(), std::vector<double>{0, 0, 0}));
  CHECK(leaf.grad().data == grad.data);
  CHECK_FALSE(unused.has_grad());
  CHECK(unused.grad.data[0] == 7);
  CHECK(whole.has_grad());
}

TEST_CASE_FIXTURE(Declared, "a part is frozen with its whole") {
  Parameter<double>& part = store.part(whole, 0, 6);
  store.allocate(1);
  Context<double> context;
  context.begin({});
  CHECK(context.parameter(part).requires_grad());
  whole.trainable = false;
  CHECK_FALSE(context.parameter(part).requires_grad());
  CHECK_FALSE(part.is_trainable());
}

TEST_CASE_FIXTURE(Declared, "a name is declared once, and seed and name determine the values") {
  const auto draw = [](std::span<double> values, const Shape&, RandomStream& random) { values[0] = random.normal(); };
  CHECK_THROWS_WITH_AS(store.declare("weight", {1}, draw), "[weight] expected a unique parameter name; got it twice",
                       Error);
  const auto drawn = [&](std::uint64_t seed, const std::vector<std::string>& names) {
    ParameterStore<double> store;
    for (const std::string& name : names) store.declare(name, {1}, draw);
    store.allocate(seed);
    return store.at("b").value[0];
  };
  CHECK(drawn(1, {"b"}) == drawn(1, {"c", "b", "a"}));
  CHECK(drawn(1, {"b"}) != drawn(2, {"b"}));
  ParameterStore<double> two;
  const Parameter<double>&a = two.declare("a", {1}, draw), &b = two.declare("b", {1}, draw);
  two.allocate(1);
  CHECK(a.value[0] != b.value[0]);
}

TEST_CASE_FIXTURE(Declared, "parts that skip rows, repeat them or split a part again are refused") {
  Parameter<double>& first = store.part(whole, 0, 2);
  const char* const why = "[weight] expected rows of [6, 2] from 2, the end of the last part";
  CHECK_THROWS_WITH_AS(store.part(whole, 0, 2), doctest::Contains(why), Error);  // repeated
  CHECK_THROWS_WITH_AS(store.part(whole, 1, 6), doctest::Contains(why), Error);  // overlapping
  CHECK_THROWS_WITH_AS(store.part(whole, 3, 6), doctest::Contains(why), Error);  // a row left out
  CHECK_THROWS_WITH_AS(store.part(whole, 2, 7), doctest::Contains(why), Error);
  CHECK_THROWS_WITH_AS(store.part(first, 0, 1), doctest::Contains("got a part"), Error);
  CHECK_THROWS_WITH_AS(store.allocate(1), doctest::Contains("[weight] expected parts that cover [6, 2]; got 2 rows"),
                       Error);
  store.part(whole, 2, 6);
  CHECK_NOTHROW(store.allocate(1));
  CHECK_THROWS_WITH_AS(store.part(whole, 6, 6), doctest::Contains("got one after"), Error);
}

TEST_CASE_FIXTURE(Declared, "an empty initializer is refused, and a bad name is shown escaped") {
  CHECK_THROWS_WITH_AS(store.declare("other", {2}, {}),
                       doctest::Contains("[other] expected an initializer; got an empty function"), Error);
  const Initializer none = [](std::span<double>, const Shape&, RandomStream&) {};
  CHECK_THROWS_WITH_AS(store.declare("a\n\x1b[2J", {2}, none), doctest::Contains("; got 'a\\n\\x1b[2J'. Hint"), Error);
  store.allocate(1);
  CHECK(store.parameters().size() == 1);
}

TEST_CASE_FIXTURE(Declared, "a name that is not found is an error with the nearest name") {
  CHECK_THROWS_WITH_AS(store.at("weight"), doctest::Contains("[weight] expected allocated parameters; got none"),
                       Error);
  store.allocate(1);
  CHECK_THROWS_WITH_AS(store.at("wieght"),
                       "[wieght] expected the name of one of 1 parameters; not found. Hint: did you mean 'weight'?",
                       Error);
  CHECK_THROWS_WITH_AS(store.at("\x1bz"),
                       doctest::Contains("[\\x1bz] expected the name of one of 1 parameters; not "
                                         "found. Hint: ParameterStore::parameters lists"),
                       Error);
}
