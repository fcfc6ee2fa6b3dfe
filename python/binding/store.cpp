#include "python/binding/store.h"

#include "base/check.h"

namespace glossa::python {

namespace {

bool is_other(const std::optional<std::thread::id>& writer) { return writer && *writer != std::this_thread::get_id(); }

}  // namespace

StoreUse::StoreUse(std::shared_ptr<Store> store, Kind kind) : store_(std::move(store)), kind_(kind) {
  Store& used = *store_;
  const bool excluded = is_other(used.values_writer) ||
                        (kind != Kind::read_values && is_other(used.gradients_writer)) ||
                        (kind == Kind::write_values && used.readers > 0);
  check(
      !excluded, "parameters",
      "expected that no other thread uses the module's parameters; got one that does. Hint: let threads wait for each "
      "other (threading.Lock), or give each a module of its own");
  if (kind == Kind::read_values)
    ++used.readers;
  else
    before_ = std::exchange(writer(), std::this_thread::get_id());
}

StoreUse::~StoreUse() {
  if (kind_ == Kind::read_values)
    --store_->readers;
  else
    writer() = before_;
}

std::optional<std::thread::id>& StoreUse::writer() {
  return kind_ == Kind::write_values ? store_->values_writer : store_->gradients_writer;
}

}  // namespace glossa::python
