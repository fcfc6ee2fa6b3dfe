#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>

namespace glossa::serve {

/// The server's counters, for Prometheus. Any number of threads may use them at once.
class ServerMetrics {
 public:
  /// Counts a request that was answered with `status`. `seconds` is the time from the request's first byte to the
  /// answer.
  void add_request(int status, double seconds);

  /// Counts a batch of translated sentences.
  void add_batch(std::size_t sentences);

  /// Returns all counters in Prometheus' text format. `queue_length` is the current number of waiting sentences, and
  /// `connections` that of open connections.
  std::string text(std::size_t queue_length, std::size_t connections) const;

 private:
  static constexpr std::array bounds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0};  // seconds

  mutable std::mutex mutex_;
  std::array<std::uint64_t, 600> requests_{};          // number of requests for each status; counting allocates nothing
  std::array<std::uint64_t, bounds.size()> within_{};  // number of requests answered within each bound
  double seconds_ = 0;
  std::uint64_t sentences_ = 0, batches_ = 0;
};

}  // namespace glossa::serve
