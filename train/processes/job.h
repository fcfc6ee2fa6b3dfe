#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/index.h"
#include "train/processes/transport.h"

namespace glossa {

/// An Error that every process of the job throws. Process 0 reports it, and all processes end normally.
class CommonError : public Error {
 public:
  using Error::Error;
};

/// Serializes an error for another process of this program, and restores it.
std::string packed(const Error& error);
Error unpacked_error(std::string_view bytes);

/// Throws CommonError unless `ok` is true. `ok` must be the same in all processes.
template <class... Args>
void check_in_all(bool ok, std::string_view where, Sentence<Args...> sentence, const Args&... args) {
  if (!ok) throw CommonError(Error::Kind::failure, where, sentence, args...);
}

/// The cooperating processes that `mpirun -n N` or `srun` started, as seen by one of them. A default-constructed Job
/// has only one process: it does not use MPI, and each call returns at once.
///
/// Calls that communicate use MPI's collectives: all processes must make these calls, in the same order. Each sum that
/// MPI computes has at most one nonzero term, which makes results independent of the number of processes.
class Job {
 public:
  /// Returns a job of this process alone.
  static const Job& alone() {
    static const Job job;
    return job;
  }

  /// Joins the other processes, until the Job is destroyed, if an MPI launcher started this process as one of several.
  /// Throws if the program was built without MPI, or if MPI does not find other processes. Even then, `rank` is set, so
  /// that only process 0 reports the error.
  void join();

  int rank() const { return place_.rank; }
  int count() const { return place_.count; }
  bool is_several() const { return place_.count > 1; }

  /// True for process 0, which alone prints and handles a run's files.
  bool is_first() const { return place_.rank == 0; }

  /// Returns this process's place among the others (transport.h).
  const Transport::Place& place() const { return place_; }

  /// One process's share of {0, ..., count-1}: consecutive numbers [begin, end). All shares have about the same size.
  struct Range {
    std::int64_t begin = 0, end = 0;
  };
  Range part_of(std::int64_t count) const { return part_of(count, rank()); }
  Range part_of(std::int64_t count, int rank) const {
    return {count * rank / place_.count, count * (rank + 1) / place_.count};
  }

  /// Adds up the processes' `numbers`, element by element. For each element, at most one process may have a nonzero
  /// value.
  void merge(std::span<double> numbers) const;

  /// Copies process 0's bytes to all processes.
  void broadcast(std::span<std::byte> bytes) const;
  std::string broadcast(std::string text) const;

  /// Returns the texts `own` of all processes, in order of their ranks.
  std::vector<std::string> gather(std::string_view own) const;

  /// Exchanges slices of `numbers` between the processes. Slice r is [bounds[r] + from, bounds[r] + to), cut off at
  /// bounds[r+1]. Sends slice r to each other process r, or nothing if `numbers` is empty. From each process in
  /// `senders`, receives the slice with this process's own rank. Stores the received slices in `received`, one after
  /// the other, in the order of `senders`.
  void exchange(std::span<const float> numbers, std::span<const Index> bounds, Index from, Index to,
                std::span<const int> senders, std::span<float> received) const;

  /// Completes `numbers` in all processes. Before the call, each process r has only the slice [bounds[r], bounds[r+1]).
  void share_stretches(std::span<float> numbers, std::span<const Index> bounds) const;

  /// Returns the elements [begin, end) of an array to process 0; other processes get undefined values. The array is
  /// divided among the processes: `own` is the slice [bounds[r], bounds[r+1]) in process r. The result is a view of
  /// `own` or, if there are several processes, of `collected`, which receives the elements.
  std::span<const float> collect(std::span<const float> own, std::span<const Index> bounds, Index begin, Index end,
                                 std::vector<float>& collected) const;

  /// Waits until all processes have called it.
  void meet() const;

  /// Limits how long calls wait for other processes while a Patience exists. After `seconds` (0 means no limit), a call
  /// throws an Error. The error names the late processes and `what`, the unfinished work.
  class Patience {
   public:
    Patience(const Job& job, double seconds, std::string what);
    ~Patience();
    Patience(const Patience&) = delete;
    Patience& operator=(const Patience&) = delete;

   private:
    const Job& job_;
  };

  /// Calls `work`, which may fail in some processes only. If it does, all processes throw the error of the failed
  /// process with the lowest rank. `work` must not wait for other processes.
  void together(const std::function<void()>& work) const;

  /// Throws in all processes unless all have the same `text`. The error contains `what`, the name of the first process
  /// whose text differs from that of process 0, and both texts.
  void agree(std::string_view what, std::string_view text) const;

  /// Ends all processes because of an error in this process; `print_note` prints the error. Processes other than the
  /// first wait briefly to let process 0 report the same error first. Only for several processes.
  [[noreturn]] void end(int status, const std::function<void()>& print_note) const;

 private:
  Transport::Place place_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace glossa
