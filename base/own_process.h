#pragma once

#include <unistd.h>

namespace glossa {

/// The process that created this object. A forked process has copies of all objects, including this one, but only the
/// thread that forked. It shares open files and their locks with its parent.
class OwnProcess {
 public:
  /// False in a process forked after the object's creation.
  bool is_this() const { return ::getpid() == id_; }

 private:
  pid_t id_ = ::getpid();
};

}  // namespace glossa
