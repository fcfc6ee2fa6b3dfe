#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace glossa::serve {

/// Threads for tasks, up to a maximum, and at most `room` tasks waiting for one. A thread starts with a task and ends
/// when none waits: permanent threads would, one after the other, each take memory for its stack and, from the heap,
/// for reusable blocks.
class Workers {
 public:
  /// `niceness`: how much more the threads yield the cores to others than the calling thread does, 0 to 19.
  Workers(std::size_t threads, std::size_t room, int niceness = 0)
      : max_threads_(threads), room_(room), niceness_(niceness) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Ends when all tasks are done.
  ~Workers();

  /// True if all tasks are done within the given time.
  bool wait_for(std::chrono::steady_clock::duration time);

  /// Queues a task, which must not throw; false if there is no room or no thread available.
  bool post(std::function<void()> task);

 private:
  using Threads = std::list<std::jthread>;

  bool begin_one();
  void work(Threads::iterator self);

  const std::size_t max_threads_, room_;
  const int niceness_;
  std::mutex mutex_;
  std::condition_variable all_ended_;
  std::deque<std::function<void()>> tasks_;
  Threads at_work_, ended_;  // the latter is joined by the next to end
};

}  // namespace glossa::serve
