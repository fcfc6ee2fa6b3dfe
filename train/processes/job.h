#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/check.h"
#include "autograd/shape.h"
#include "train/processes/transport.h"

namespace glossa {

/// An Error thrown by every process of the job: process 0 reports it, and all end in order.
class CommonError : public Error {
 public:
  using Error::Error;
};

/// CommonError unless `ok`, which is equal in all processes.
template <class... Args>
void check_in_all(bool ok, std::string_view where, fmt::format_string<Args...> format, Args&&... args) {
  if (!ok) throw CommonError(Error::Kind::failure, where, fmt::format(format, std::forward<Args>(args)...));
}

/// Ends all processes of the job because of an error found by this one, which `tell` prints. Processes other than the
/// first give it some time to find and report the same one.
[[noreturn]] void end_job(int status, const std::function<void()>& print_note);

/// The cooperating processes, started by `mpirun -n N` or `srun`, as seen by one of them. A single process is a job of
/// one: MPI is then untouched, and each call returns at once.
///
/// All processes make every call, in the same order, except those about one's own number. They exchange by MPI's
/// collectives and add up only numbers of which all but one are 0, so that no result depends on their number.
class Job {
 public:
  int rank() const { return place_.rank; }
  int count() const { return place_.count; }
  bool is_several() const { return place_.count > 1; }

  /// Only process 0 handles a run's files and prints.
  bool is_first() const { return place_.rank == 0; }

  /// Position of this process among the others.
  const Transport::Place& place() const { return place_; }

  /// This process's part of {0, ..., count-1}: consecutive, and of about the same size everywhere.
  struct Range {
    std::int64_t begin = 0, end = 0;
  };
  Range part_of(std::int64_t count) const { return part_of(count, rank()); }
  Range part_of(std::int64_t count, int rank) const {
    return {count * rank / place_.count, count * (rank + 1) / place_.count};
  }

  /// Adds up the processes' values at each place; at most one is not 0 there.
  void merge(std::span<double> numbers) const;

  /// Sends process 0's bytes.
  void broadcast(std::span<std::byte> bytes) const;
  std::string broadcast(std::string text) const;

  /// Texts of all processes, in order.
  std::vector<std::string> gather(std::string_view own) const;

  /// Sends the stretch [bounds[r] + from, bounds[r] + to) of `numbers`, cut at bounds[r+1], to each other process r
  /// unless it is empty. Receives a stretch as long as this process's own from each of `senders`, in order, back to
  /// back in `received`.
  void exchange(std::span<const float> numbers, std::span<const Index> bounds, Index from, Index to,
                std::span<const int> senders, std::span<float> received) const;

  /// Each process has the stretch [bounds[r], bounds[r+1]) of `numbers`; then all have all.
  void share_stretches(std::span<float> numbers, std::span<const Index> bounds) const;

  /// Each process has the stretch [bounds[r], bounds[r+1]) of an array, its own in `own`; [begin, end) of it is written
  /// to process 0's `collected`.
  void collect(std::span<const float> own, std::span<const Index> bounds, Index begin, Index end,
               std::vector<float>& collected) const;

  /// Returns once all have called it.
  void meet() const;

  /// While one lives, no call waits longer than this many seconds (0: unlimited) for another process. A late process is
  /// named, with the step `what` that it missed, in the Error that ends the job.
  class Patience {
   public:
    Patience(double seconds, std::string what);
    ~Patience();
    Patience(const Patience&) = delete;
    Patience& operator=(const Patience&) = delete;
  };

  /// Does work that may fail in some processes only; all then throw the error of the first that failed. Nothing inside
  /// may wait for other processes.
  void together(const std::function<void()>& work) const;

  /// Throws in all processes if a `text` differs from process 0's, naming the first such process and the difference.
  void agree(std::string_view what, std::string_view text) const;

 private:
  void begin_together() const;

  friend class JobMembership;
  friend void end_job(int status, const std::function<void()>& print_note);
  Transport::Place place_;
  std::unique_ptr<Transport> transport_;
};

/// This process's job.
const Job& job();

/// Makes the process part of a job while it lives, if it was started as one of several. Throws if the program was built
/// without MPI, or if MPI finds no other process.
class JobMembership {
 public:
  JobMembership();
  ~JobMembership();
  JobMembership(const JobMembership&) = delete;
  JobMembership& operator=(const JobMembership&) = delete;
};

/// Number of processes started by an MPI launcher according to the environment; else 1.
int processes_started();

}  // namespace glossa
