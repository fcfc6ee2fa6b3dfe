#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace glossa {

/// Bump allocator: memory of one lifetime, given back all at once. Every piece starts on a cache line (64 bytes).
/// Blocks double in size up to 64 MiB; `reset` keeps the memory and joins many blocks into one, so that after a warm-up
/// nothing is asked from the heap.
class Arena {
 public:
  static constexpr std::size_t alignment = 64;

  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Uninitialised memory until the next reset. Throws Error when the machine has no more.
  void* allocate(std::size_t bytes);

  template <class T>
  T* allocate_array(std::ptrdiff_t count) {
    return static_cast<T*>(allocate(static_cast<std::size_t>(count) * sizeof(T)));
  }

  /// The same, as zeros.
  template <class T>
  std::span<T> zeros(std::ptrdiff_t count) {
    const std::span<T> values(allocate_array<T>(count), static_cast<std::size_t>(count));
    std::fill(values.begin(), values.end(), T{0});
    return values;
  }

  /// Gives everything back in O(1).
  void reset();

  std::size_t bytes_used() const { return used_before_ + used_; }
  std::size_t peak_bytes() const { return peak_; }

  /// How often memory was asked from the heap since construction.
  std::size_t heap_allocations() const { return heap_allocations_; }

 private:
  struct Block {
    std::byte* data;
    std::size_t size;
  };

  /// `sure`: bytes of it that are going to be used.
  void add_block(std::size_t size, std::size_t sure);
  void release();

  std::vector<Block> blocks_;  // only the last one is being filled
  std::size_t used_ = 0;       // bytes of the last block
  std::size_t used_before_ = 0;
  std::size_t peak_ = 0;
  std::size_t heap_allocations_ = 0;
};

}  // namespace glossa
