// The only file that uses MPI. It is built as a separate module, loaded only when the program is started as one of
// several processes. A single process therefore neither needs MPI's libraries nor waits for them to load.
#include "train/processes/transport.h"

#include <fmt/ranges.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <climits>
#include <thread>

#include "base/check.h"
#include "base/stopwatch.h"

namespace glossa {

namespace {

int int_of(std::size_t count) {
  check(count <= INT_MAX, "mpi", "expected at most {} items in a message; got {}", INT_MAX, count);
  return static_cast<int>(count);
}

class Mpi : public Transport {
 public:
  Mpi() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &place_.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &place_.count);
    MPI_Comm_dup(MPI_COMM_WORLD, &questions_);
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    place_.hosts = gather({name.data(), static_cast<std::size_t>(length)});
    find_sharers();
  }

  /// Leaves MPI in the regular way. A process that waits in a call that other processes never make must use `abort`.
  ~Mpi() override {
    MPI_Comm_free(&questions_);
    MPI_Finalize();
  }

  const Place& place() const override { return place_; }

  void add(std::span<double> numbers) override {
    wait(For::others, MPI_Iallreduce, MPI_IN_PLACE, numbers.data(), int_of(numbers.size()), MPI_DOUBLE, MPI_SUM,
         MPI_COMM_WORLD);
  }

  void broadcast(std::span<std::byte> bytes) override {
    constexpr std::size_t at_once = 1 << 30;
    for (std::size_t at = 0; at < bytes.size(); at += at_once)
      wait(For::numbers, MPI_Ibcast, bytes.data() + at, int_of(std::min(at_once, bytes.size() - at)), MPI_BYTE, 0,
           MPI_COMM_WORLD);
  }

  std::vector<std::string> gather(std::string_view own) override {
    std::vector<int> lengths(static_cast<std::size_t>(place_.count)), places;
    lengths[static_cast<std::size_t>(place_.rank)] = int_of(own.size());
    wait(For::others, MPI_Iallgather, MPI_IN_PLACE, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::size_t total = 0;
    for (const int length : lengths) {
      places.push_back(int_of(total));
      total += static_cast<std::size_t>(length);
    }
    std::string all(total, '\0');
    wait(For::numbers, MPI_Iallgatherv, own.data(), int_of(own.size()), MPI_CHAR, all.data(), lengths.data(),
         places.data(), MPI_CHAR, MPI_COMM_WORLD);
    std::vector<std::string> texts;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank)
      texts.push_back(all.substr(static_cast<std::size_t>(places[rank]), static_cast<std::size_t>(lengths[rank])));
    return texts;
  }

  void exchange(const float* from, const Parts& sent, float* to, const Parts& received) override {
    wait(For::numbers, MPI_Ialltoallv, from, sent.counts.data(), sent.places.data(), MPI_FLOAT, to,
         received.counts.data(), received.places.data(), MPI_FLOAT, MPI_COMM_WORLD);
  }

  void share(float* all, const Parts& parts) override {
    wait(For::numbers, MPI_Iallgatherv, MPI_IN_PLACE, 0, MPI_FLOAT, all, parts.counts.data(), parts.places.data(),
         MPI_FLOAT, MPI_COMM_WORLD);
  }

  void collect(const float* own, int count, float* all, const Parts& parts) override {
    wait(For::numbers, MPI_Igatherv, own, count, MPI_FLOAT, all, parts.counts.data(), parts.places.data(), MPI_FLOAT, 0,
         MPI_COMM_WORLD);
  }

  void limit(double seconds, std::string what) override {
    limit_ = seconds;
    awaited_ = std::move(what);
  }

  void abort(int status) override { MPI_Abort(MPI_COMM_WORLD, status); }

 private:
  /// Finds the processes on this host that may use the same cores, by comparing sets of allowed cores.
  void find_sharers() {
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    int rank = 0, count = 1;
    MPI_Comm_rank(host, &rank);
    MPI_Comm_size(host, &count);
    std::vector<cpu_set_t> cores(static_cast<std::size_t>(count));
    cpu_set_t& own = cores[static_cast<std::size_t>(rank)];
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, cores.data(), sizeof own, MPI_BYTE, host);
    const auto same = [&](const cpu_set_t& other) { return CPU_EQUAL(&own, &other) != 0; };
    place_.on_host = count;
    place_.sharing = static_cast<int>(std::ranges::count_if(cores, same));
    place_.turn = static_cast<int>(std::count_if(cores.begin(), cores.begin() + rank, same));
    MPI_Comm_free(&host);
  }

  /// The subject of a wait: other processes, which may be slow, or numbers in flight, which arrive faster with frequent
  /// polling.
  enum class For { others, numbers };

  /// Starts an MPI call with these arguments and waits for its end, yielding the core to other threads.
  template <class... Parameters, class... Arguments>
  void wait(For what, int (*begin)(Parameters...), Arguments... arguments) {
    MPI_Request request = MPI_REQUEST_NULL;
    begin(arguments..., &request);
    const Stopwatch watch;
    for (double next_look = looks_every;;) {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
      const double seconds = watch.seconds();
      if (seconds < (what == For::numbers ? 1 : 2e-3))
        sched_yield();
      else
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      if (seconds < next_look) continue;
      next_look = seconds + looks_every;
      answer();
      if (limit_ > 0 && seconds > limit_ && comes_late(request)) return;
    }
  }

  /// Answers other processes that ask whether this one is also waiting.
  void answer() {
    for (int asked = 1; asked != 0;) {
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, question, questions_, &asked, &status);
      if (asked == 0) return;
      MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, question, questions_, MPI_STATUS_IGNORE);
      MPI_Request sent;
      MPI_Isend(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, here, questions_, &sent);
      MPI_Request_free(&sent);
    }
  }

  /// Asks the other processes whether they are also waiting. Throws an error that names those that do not answer within
  /// two seconds. Returns true if the call has completed meanwhile.
  bool comes_late(MPI_Request& request) {
    std::vector<char> is_here(static_cast<std::size_t>(place_.count));
    is_here[static_cast<std::size_t>(place_.rank)] = 1;
    for (int rank = 0; rank < place_.count; ++rank) {
      if (rank == place_.rank) continue;
      MPI_Request sent;
      MPI_Isend(nullptr, 0, MPI_BYTE, rank, question, questions_, &sent);
      MPI_Request_free(&sent);
    }
    for (const Stopwatch watch; watch.seconds() < 2; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
      int done = 0, found = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return true;
      answer();
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, here, questions_, &found, &status);
      if (found == 0) continue;
      MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, here, questions_, MPI_STATUS_IGNORE);
      is_here[static_cast<std::size_t>(status.MPI_SOURCE)] = 1;
    }
    std::vector<std::string> missing;
    for (int rank = 0; rank < place_.count; ++rank)
      if (is_here[static_cast<std::size_t>(rank)] == 0) missing.push_back(place_.name(rank));
    if (missing.empty()) return false;  // all processes have arrived, and their data is on its way
    fail(fmt::format("{}", fmt::join(missing, ", ")),
         "cannot continue without it: {} not finished within {} s of the others (runtime.timeout). Hint: check that it "
         "runs and its network is up; --resume continues from the newest checkpoint",
         awaited_, limit_);
  }

  static constexpr int question = 1, here = 2;  // message tags
  static constexpr double looks_every = 0.05;   // seconds

  Place place_;
  MPI_Comm questions_ = MPI_COMM_NULL;
  double limit_ = 0;
  std::string awaited_;
};

}  // namespace

}  // namespace glossa

extern "C" glossa::Transport* glossa_enter_mpi() { return new glossa::Mpi; }
