#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glossa {

/// Bump allocator: releases memory all at once, or back to a mark. Every allocation starts on a cache line (64 bytes).
/// Blocks double in size up to 64 MiB. `reset` keeps the memory and merges the blocks into one. After a warm-up, the
/// arena requests no more memory from the system. In AddressSanitizer builds, memory that is not allocated is poisoned.
class Arena {
 public:
  static constexpr std::size_t alignment = 64;

  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Returns uninitialized memory. It is valid until the next `reset`, or until an earlier mark is released or
  /// destroyed. Throws Error if the machine has no more memory (see available_memory).
  void* allocate(std::size_t bytes);

  template <class T>
  T* allocate_array(std::ptrdiff_t count) {
    return static_cast<T*>(allocate(static_cast<std::size_t>(count) * sizeof(T)));
  }

  template <class T>
  std::span<T> array(std::ptrdiff_t count) {
    return {allocate_array<T>(count), static_cast<std::size_t>(count)};
  }

  /// Bytes that an array takes, including the gap to the next cache line.
  template <class T>
  static std::size_t size_of(std::ptrdiff_t count) {
    return rounded_up(static_cast<std::size_t>(count) * sizeof(T));
  }

  /// Maps `bytes` in one block, for allocations that are certain to follow. Call it before the first of them.
  void reserve(std::size_t bytes);

  /// A zeroed array.
  template <class T>
  std::span<T> zeros(std::ptrdiff_t count) {
    const std::span<T> values = array<T>(count);
    std::fill(values.begin(), values.end(), T{0});
    return values;
  }

  /// Returns all pages that lie entirely within `memory` to the system. They read as zeros afterwards.
  static void drop(std::span<std::byte> memory);

  /// Releases everything in O(1). Existing marks lose their effect.
  void reset();

  /// Sets whether released memory is filled with NaN bytes, so that any build exposes reads after release.
  void set_wiping(bool on) { wipes_ = on; }

  /// A position to return to: later allocations are released when the mark is destroyed or `release` is called. Marks
  /// nest like scopes.
  class Mark {
   public:
    /// Marks the position before the newest `bytes` bytes, which must be in one block (see is_newest).
    explicit Mark(Arena& arena, std::size_t bytes = 0)
        : arena_(&arena),
          resets_(arena.resets_),
          block_(arena.current_),
          used_(arena.used_ - rounded_up(bytes)),
          used_before_(arena.used_before_) {}
    ~Mark() { release(); }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

    /// Releases all allocations since the mark; the mark stays valid.
    void release() { arena_->go_back_to(*this); }

    /// Moves the mark to the arena's current position, so that earlier allocations are kept.
    void advance();

   private:
    friend class Arena;
    Arena* arena_;
    std::uint64_t resets_;
    std::size_t block_, used_, used_before_;
  };

  /// True if the newest allocation starts at `data` and has `bytes` bytes.
  bool is_newest(const void* data, std::size_t bytes) const {
    return !blocks_.empty() &&
           blocks_[current_].data + used_ == static_cast<const std::byte*>(data) + rounded_up(bytes);
  }

  std::size_t bytes_used() const { return used_before_ + used_; }
  std::size_t peak_bytes() const { return peak_; }

  /// Number of requests to the system since construction.
  std::size_t heap_allocations() const { return heap_allocations_; }

 private:
  struct Block {
    std::byte* data;
    std::size_t size;
  };

  /// Size of an allocation including the gap to the next cache line.
  static std::size_t rounded_up(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

  /// Adds a block after the current one. `sure` is the number of bytes certain to be used.
  void add_block(std::size_t size, std::size_t sure);
  void next_block(std::size_t bytes);
  void go_back_to(const Mark& mark);
  void release();

  std::vector<Block> blocks_;  // blocks after the current one are free
  std::size_t current_ = 0;
  std::size_t used_ = 0;         // bytes used in the current block
  std::size_t used_before_ = 0;  // bytes used in earlier blocks
  std::size_t peak_ = 0;
  std::size_t heap_allocations_ = 0;
  std::uint64_t resets_ = 0;
  bool wipes_ = false;
};

}  // namespace glossa
