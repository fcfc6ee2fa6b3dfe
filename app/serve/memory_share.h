#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace glossa::serve {

/// A number of bytes that counts toward a common sum while this object lives. Moving transfers the number of bytes, and
/// leaves the source with 0.
class MemoryShare {
 public:
  using Sum = std::atomic<std::size_t>;

  explicit MemoryShare(std::shared_ptr<Sum> sum) : sum_(std::move(sum)) {}
  MemoryShare(MemoryShare&& other) noexcept : sum_(other.sum_), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryShare& operator=(MemoryShare&&) = delete;
  ~MemoryShare() { set(0); }

  std::size_t bytes() const { return bytes_; }
  void set(std::size_t bytes) { *sum_ += bytes - std::exchange(bytes_, bytes); }

 private:
  std::shared_ptr<Sum> sum_;  // common to all shares
  std::size_t bytes_ = 0;
};

}  // namespace glossa::serve
