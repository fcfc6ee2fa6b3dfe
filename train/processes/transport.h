#pragma once

#include <fmt/core.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// MPI operations of a job, behind one file that includes it. All calls are collective.
class Transport {
 public:
  virtual ~Transport() = default;

  struct Place {
    int rank = 0, count = 1;
    int on_host = 1;                      // processes on this host
    int sharing = 1, turn = 0;            // those that may use the same cores, and this one's position among them
    std::vector<std::string> hosts = {};  // of each process

    /// Readable name of a process.
    std::string name(int of) const {
      const auto r = static_cast<std::size_t>(of);
      return r < hosts.size() ? fmt::format("process {} on {}", of, hosts[r]) : fmt::format("process {}", of);
    }
  };
  virtual const Place& place() const = 0;

  virtual void add(std::span<double> numbers) = 0;
  virtual void broadcast(std::span<std::byte> bytes) = 0;
  virtual std::vector<std::string> gather(std::string_view own) = 0;

  /// Numbers for and from each process: counts and places in the arrays.
  struct Parts {
    std::vector<int> counts, places;
  };
  virtual void exchange(const float* from, const Parts& sent, float* to, const Parts& received) = 0;
  virtual void share(float* all, const Parts& parts) = 0;
  virtual void collect(const float* own, int count, float* all, const Parts& parts) = 0;

  /// From now on no call waits longer than `seconds` (0: any time) for other processes; `what` for.
  virtual void limit(double seconds, std::string what) = 0;

  /// Ends all processes at once.
  virtual void abort(int status) = 0;
};

/// Enters this process's MPI job through the MPI module beside the program or where it is installed; null if not found.
std::unique_ptr<Transport> enter_mpi();

}  // namespace glossa
