#pragma once

#include <unistd.h>

namespace glossa {

/// The process in which it was made. A process that is forked has a copy, and copies of all other objects. But it has
/// no threads except the one that forked, and it shares open files and their locks.
class OwnProcess {
 public:
  /// False in a process forked since.
  bool is_this() const { return ::getpid() == id_; }

 private:
  pid_t id_ = ::getpid();
};

}  // namespace glossa
