#include "autograd/parameter.h"

#include <doctest/doctest.h>

#include "autograd/check.h"

using namespace glossa;

namespace {

/// A store with one matrix of 6 rows, which is not laid out yet.
struct Declared {
  ParameterStore<double> store;
  Parameter<double>& whole = store.declare("weight", {6, 2}, [](std::span<double> values, const Shape&, RandomStream&) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  });
};

}  // namespace

TEST_CASE_FIXTURE(Declared, "parts are rows of the whole, each with a gradient slot of its own") {
  Parameter<double>&first = store.part(whole, 0, 2), &second = store.part(whole, 2, 6);
  store.allocate(1);
  CHECK(first.value.shape == Shape{2, 2});
  CHECK(second.value[0] == 4);
  CHECK(second.grad.data == whole.grad.data + 4);
  first.grad.set = true;
  CHECK_FALSE(store.has_grad(whole));
  second.grad.set = true;
  CHECK(store.has_grad(whole));
  store.clear_grads();
  CHECK_FALSE(store.has_grad(whole));
  store.fill_unset_grads();
  CHECK(store.has_grad(whole));
}

TEST_CASE_FIXTURE(Declared, "parts that leave rows out, repeat them or are cut once more are refused") {
  Parameter<double>& first = store.part(whole, 0, 2);
  const char* const why = "[weight] expected rows within [6, 2], from 2 on, where the last part ends";
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
