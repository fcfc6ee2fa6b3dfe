#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace glossa::serve {

/// The server's counters, for Prometheus. Any number of threads may use them at once.
class ServerMetrics {
 public:
  /// A request that was answered with a status, so many seconds after its first byte.
  void add_request(int status, double seconds);

  /// Sentences that were translated together.
  void add_batch(std::size_t sentences);

  /// All of it in Prometheus' text format, with what is known elsewhere: how many sentences wait, how many connections
  /// are open.
  std::string text(std::size_t queue_length, std::size_t connections) const;

 private:
  static constexpr std::array bounds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0};  // seconds

  mutable std::mutex mutex_;
  std::map<int, std::uint64_t> requests_;
  std::array<std::uint64_t, bounds.size()> within_{};  // each bound, those within smaller ones included
  double seconds_ = 0;
  std::uint64_t sentences_ = 0, batches_ = 0;
};

}  // namespace glossa::serve
