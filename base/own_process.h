#pragma once

#include <unistd.h>

namespace glossa {

/// The process that created this object. A forked process has a copy of this object and all others, but only the thread
/// that forked. It shares open files and their locks.
class OwnProcess {
 public:
  /// False in a process forked after the object's creation.
  bool is_this() const { return ::getpid() == id_; }

 private:
  pid_t id_ = ::getpid();
};

}  // namespace glossa
