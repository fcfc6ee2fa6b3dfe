#include "app/serve/promise.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <thread>

using glossa::serve::BrokenPromise;
using glossa::serve::Promise;

TEST_CASE("a promise hands a value or an exception to a waiting thread") {
  Promise<std::string> promise;
  auto future = promise.future();
  CHECK_FALSE(future.is_ready());
  CHECK_FALSE(future.wait_until(std::chrono::steady_clock::now()));
  std::thread other([moved = std::move(promise)]() mutable { moved.set_value("value"); });
  CHECK_EQ(future.get(), "value");
  other.join();

  Promise<std::string> failing;
  auto failed = failing.future();
  failing.set_exception(std::make_exception_ptr(std::runtime_error("reason")));
  CHECK(failed.is_ready());
  CHECK_THROWS_AS(failed.get(), std::runtime_error);
}

TEST_CASE("a promise is broken once it is destroyed or replaced, but not when it is moved") {
  Promise<std::string>::Future first = Promise<std::string>().future();
  CHECK_THROWS_AS(first.get(), BrokenPromise);
  Promise<std::string> promise, other;
  auto replaced = promise.future(), kept = other.future();
  promise = std::move(other);
  CHECK_THROWS_AS(replaced.get(), BrokenPromise);
  CHECK_FALSE(kept.is_ready());
  promise.set_value("value");
  CHECK_EQ(kept.get(), "value");
}
