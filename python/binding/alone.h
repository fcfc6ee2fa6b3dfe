#pragma once

#include <memory>

#include "python/binding/computing.h"
#include "python/binding/store.h"

namespace glossa::python {

/// Calls f(parameters) while no other thread's use of the store interferes; other Python threads can run. Throws an
/// Error if another thread's use excludes this one.
template <class F>
decltype(auto) alone(const std::shared_ptr<Store>& store, StoreUse::Kind kind, const F& f) {
  const StoreUse use(store, kind);
  const Computing computing;
  return store->visit(f);
}

}  // namespace glossa::python
