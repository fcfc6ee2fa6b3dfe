#pragma once

#include <system_error>
#include <thread>
#include <utility>

#include "base/check.h"

namespace glossa {

/// Starts a thread that calls `body`; Thread is std::thread or std::jthread. Throws Error if the system refuses.
template <class Thread = std::thread, class Body>
Thread start_thread(Body&& body) {
  try {
    return Thread(std::forward<Body>(body));
  } catch (const std::system_error& refusal) {
    fail("threads",
         "cannot start a thread: {}. Hint: use fewer threads, or raise the limit on processes (ulimit -u, or pids.max "
         "of the container)",
         refusal.code().message());
  }
}

}  // namespace glossa
