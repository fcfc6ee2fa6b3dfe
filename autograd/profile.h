#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/kernels/product_log.h"

namespace glossa {

/// Where the time of a step goes. A stopwatch that is read at the end of every op: what has passed since the last
/// reading belongs to that op, so that the parts add up to the whole.
class Profile {
 public:
  struct Row {
    std::string name;  // an op, or another part of the step
    bool backward = false;
    Index calls = 0;
    double seconds = 0;
    double flop = 0;   // of its products
    double bytes = 0;  // of the tensors that it reads and writes, each counted once
  };

  /// Notes the products of its thread as long as it lives.
  Profile() = default;
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Starts the watch: what was before belongs to nobody.
  void start();

  /// The time since the last call of `start` or `lap` belongs to `name`.
  void lap(std::string_view name, bool backward, double bytes);

  const std::vector<Row>& rows() const { return rows_; }

 private:
  using Clock = std::chrono::steady_clock;

  kernels::ProductLog log_;
  std::vector<Row> rows_;
  Clock::time_point last_;
};

}  // namespace glossa
