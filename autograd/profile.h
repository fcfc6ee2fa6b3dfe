#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/kernels/product_log.h"

namespace glossa {

/// Breakdown of a step's time. At the end of every op, a stopwatch is read, and the time since the previous reading
/// counts for that op. The entries therefore add up to the step's time.
class Profile {
 public:
  struct Row {
    std::string name;  // an op or another part of the step
    bool backward = false;
    Index calls = 0;
    double seconds = 0;
    double flop = 0;   // floating-point operations in its matrix products
    double bytes = 0;  // size of the tensors it reads and writes, each counted once
  };

  /// Starts logging the matrix products of the calling thread; the destructor ends the log.
  Profile() = default;
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Starts the watch; earlier time is not counted.
  void start();

  /// Adds to the row of `name`: the time and the matrix products since the last `start` or `lap`, and `bytes`.
  void lap(std::string_view name, bool backward, double bytes);

  const std::vector<Row>& rows() const { return rows_; }

 private:
  using Clock = std::chrono::steady_clock;

  kernels::ProductLog log_;
  std::vector<Row> rows_;
  Clock::time_point last_;
};

}  // namespace glossa
