#pragma once

namespace glossa {

/// While one lives, heap allocations of this thread are put down to a product library that glossa calls (see
/// heap_counter.h).
class LibraryScope {
 public:
  LibraryScope() { ++depth_; }
  ~LibraryScope() { --depth_; }
  LibraryScope(const LibraryScope&) = delete;
  LibraryScope& operator=(const LibraryScope&) = delete;

  static bool active() { return depth_ > 0; }

 private:
  static inline constinit thread_local int depth_ = 0;
};

}  // namespace glossa
