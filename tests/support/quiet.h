#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace glossa::testing {

/// While a Quiet exists, standard error is silent. A trainer's lines are still in its log.
class Quiet {
 public:
  Quiet() : before_(dup(STDERR_FILENO)) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
  }
  ~Quiet() {
    dup2(before_, STDERR_FILENO);
    close(before_);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  int before_;
};

}  // namespace glossa::testing
