#pragma once

namespace glossa {

/// While a LibraryScope exists, heap allocations of its creating thread count as allocations by a GEMM library
/// (base/heap.h).
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
