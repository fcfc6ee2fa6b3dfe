#include "autograd/profile.h"

#include <algorithm>

namespace glossa {

void Profile::start() {
  log_.products.clear();
  last_ = Clock::now();
}

void Profile::lap(std::string_view name, bool backward, double bytes) {
  const Clock::time_point now = Clock::now();
  auto row = std::ranges::find_if(rows_, [&](const Row& r) { return r.name == name && r.backward == backward; });
  if (row == rows_.end()) row = rows_.insert(row, {.name = std::string(name), .backward = backward});
  ++row->calls;
  row->seconds += std::chrono::duration<double>(now - last_).count();
  for (const kernels::Product& product : log_.products) row->flop += product.flop();
  row->bytes += bytes;
  log_.products.clear();
  last_ = Clock::now();
}

}  // namespace glossa
