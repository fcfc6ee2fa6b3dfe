#pragma once

#include <memory>

#include "python/binding/computing.h"
#include "python/binding/store.h"

namespace glossa::python {

/// Calls f(parameters) as a use of the store of this kind; other Python threads can run meanwhile. Throws an Error if
/// another thread uses the store in a way that excludes this use.
template <class F>
decltype(auto) alone(const std::shared_ptr<Store>& store, StoreUse::Kind kind, const F& f) {
  const StoreUse use(store, kind);
  const Computing computing;
  return store->visit(f);
}

}  // namespace glossa::python
