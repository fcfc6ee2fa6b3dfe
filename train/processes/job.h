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

/// An Error that every process of the job has thrown: process 0 tells it, and all end in order.
class CommonError : public Error {
 public:
  using Error::Error;
};

/// Throws one unless `ok`, which is the same in all processes.
template <class... Args>
void check_in_all(bool ok, std::string_view where, fmt::format_string<Args...> format, Args&&... args) {
  if (!ok) throw CommonError(Error::Kind::failure, where, fmt::format(format, std::forward<Args>(args)...));
}

/// Ends all processes of the job because of an error that this one has found, which `tell` prints. The processes but
/// the first leave it some time to find the same, which it tells then.
[[noreturn]] void end_job(int status, const std::function<void()>& tell);

/// The processes that work together, started by `mpirun -n N` or `srun`, as one of them sees it. A process on its own
/// is a job of one: then nothing of MPI is touched, and each call returns at once.
///
/// Every call but those of one's own number is made by all processes, in the same order. They exchange by MPI's
/// collectives and add nothing up but numbers of which all but one are 0, so that no result depends on their number.
class Job {
 public:
  int rank() const { return place_.rank; }
  int count() const { return place_.count; }
  bool is_several() const { return place_.count > 1; }

  /// Process 0 alone reads and writes a run, and talks.
  bool is_first() const { return place_.rank == 0; }

  /// Where this process is among the others.
  const Transport::Place& place() const { return place_; }

  /// The part of {0, ..., count-1} that is this process's: consecutive, and of about the same size everywhere.
  struct Range {
    std::int64_t begin = 0, end = 0;
  };
  Range part_of(std::int64_t count) const { return part_of(count, rank()); }
  Range part_of(std::int64_t count, int rank) const {
    return {count * rank / place_.count, count * (rank + 1) / place_.count};
  }

  /// Adds up what the processes have at each place; at most one has something else than 0 there.
  void merge(std::span<double> numbers) const;

  /// What process 0 has there.
  void broadcast(std::span<std::byte> bytes) const;
  std::string broadcast(std::string text) const;

  /// The texts of all processes, in order.
  std::vector<std::string> gather(std::string_view own) const;

  /// Sends the stretch [bounds[r] + from, bounds[r] + to) of `numbers`, cut at bounds[r+1], to each other process r
  /// unless it is empty, and gets as many numbers as its own stretch has from each of the `senders`, in this order, one
  /// after the other in `received`.
  void exchange(std::span<const float> numbers, std::span<const Index> bounds, Index from, Index to,
                std::span<const int> senders, std::span<float> received) const;

  /// Each process has the stretch [bounds[r], bounds[r+1]) of `numbers`; then all have all.
  void share_stretches(std::span<float> numbers, std::span<const Index> bounds) const;

  /// Each process has the stretch [bounds[r], bounds[r+1]) of an array, its own in `own`: [begin, end) of the array
  /// goes into the `collected` of process 0.
  void collect(std::span<const float> own, std::span<const Index> bounds, Index begin, Index end,
               std::vector<float>& collected) const;

  /// Returns when all have called it.
  void meet() const;

  /// While one lives, no call may wait longer than so many seconds (0: any time) for another process. Who does not come
  /// in time is named, with `what` it should have done, in the Error that ends the job.
  class Patience {
   public:
    Patience(double seconds, std::string what);
    ~Patience();
    Patience(const Patience&) = delete;
    Patience& operator=(const Patience&) = delete;
  };

  /// Does what may fail in some processes only, and throws in all of them what it threw in the first of those. Nothing
  /// that waits for other processes may be called within.
  void together(const std::function<void()>& work) const;

  /// Throws in all processes, naming the first one whose `text` differs from that of process 0, and what differs.
  void agree(std::string_view what, std::string_view text) const;

 private:
  void begin_together() const;

  friend class JobMembership;
  friend void end_job(int status, const std::function<void()>& tell);
  Transport::Place place_;
  std::unique_ptr<Transport> transport_;
};

/// The job of this process.
const Job& job();

/// Makes the process one of a job while it lives, if it was started as one of several. Throws for a program that was
/// built without MPI, and where MPI finds no other process.
class JobMembership {
 public:
  JobMembership();
  ~JobMembership();
  JobMembership(const JobMembership&) = delete;
  JobMembership& operator=(const JobMembership&) = delete;
};

/// How many processes the program was started as by what starts MPI's programs, as far as the environment says; else 1.
int processes_started();

}  // namespace glossa
