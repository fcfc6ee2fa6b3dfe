#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// The MPI operations that Job (job.h) uses. Only one source file includes MPI's header. A process may call `place`,
/// `limit` and `abort` alone; all processes must make the other calls together.
class Transport {
 public:
  virtual ~Transport() = default;

  struct Place {
    int rank = 0, count = 1;
    int on_host = 1;                      // number of processes on this host
    int sharing = 1, turn = 0;            // number of processes that use the same cores; this one's index among them
    std::vector<std::string> hosts = {};  // host name of each process

    /// Returns the readable name of process `of`.
    std::string name(int of) const {
      const auto r = static_cast<std::size_t>(of);
      return r < hosts.size() ? fmt::format("process {} on {}", of, hosts[r]) : fmt::format("process {}", of);
    }
  };
  virtual const Place& place() const = 0;

  virtual void add(std::span<double> numbers) = 0;
  virtual void broadcast(std::span<std::byte> bytes) = 0;
  virtual std::vector<std::string> gather(std::string_view own) = 0;

  /// For each process: the count of the numbers sent to it or received from it, and their offset in the array.
  struct Parts {
    std::vector<int> counts, places;
  };
  virtual void exchange(const float* from, const Parts& sent, float* to, const Parts& received) = 0;
  virtual void share(float* all, const Parts& parts) = 0;
  virtual void collect(const float* own, int count, float* all, const Parts& parts) = 0;

  /// Limits how long calls wait for other processes: at most `seconds`, or without limit if 0. `what` names the awaited
  /// work in errors.
  virtual void limit(double seconds, std::string what) = 0;

  /// Ends all processes at once.
  virtual void abort(int status) = 0;
};

}  // namespace glossa
