#pragma once

#include <cstdint>
#include <string>

#include "base/descriptor.h"

namespace glossa::serve {

/// A socket that accepts connections.
struct Listener {
  Descriptor socket;
  std::string url;  ///< http://HOST:PORT
};

/// Listens at `host`, a name or address of this machine. If `port` is 0, chooses a free port. Throws if `host` is not
/// this machine, or if the port is in use or not permitted.
Listener listen_at(const std::string& host, std::int64_t port);

}  // namespace glossa::serve
