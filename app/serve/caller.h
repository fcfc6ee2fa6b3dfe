#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace glossa::serve {

/// The party that waits for the answer to a request.
struct Caller {
  std::string client;                                      ///< API key; the network address if the caller has no key
  std::chrono::steady_clock::time_point deadline;          ///< time when the caller stops waiting
  std::shared_ptr<const std::atomic<bool>> has_left = {};  ///< true once the connection has ended; null: unknown

  bool waits() const { return !(has_left && *has_left) && std::chrono::steady_clock::now() < deadline; }
};

}  // namespace glossa::serve
