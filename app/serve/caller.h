#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

namespace glossa::serve {

/// The party that waits for the answer to a request.
struct Caller {
  std::string client;                                      ///< the caller's API key or, without one, its address
  std::chrono::steady_clock::time_point deadline;          ///< when the caller stops waiting
  std::shared_ptr<const std::atomic<bool>> has_left = {};  ///< set once the connection has ended; null: unknown

  bool waits() const { return !(has_left && *has_left) && std::chrono::steady_clock::now() < deadline; }
};

}  // namespace glossa::serve
