#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace glossa::serve {

/// Threads for tasks, at most so many at a time, and the tasks that wait for one, at most `room`. A thread begins with
/// a task and ends when none waits: those that are always there would each, one after the other, take memory for their
/// stack and, from the heap, for pieces to use again.
class Workers {
 public:
  Workers(std::size_t threads, std::size_t room) : most_(threads), room_(room) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Ends when all tasks are done.
  ~Workers();

  /// Has a task done, which throws nothing; false where there is no room for it, or no thread to be had.
  bool post(std::function<void()> task);

 private:
  using Threads = std::list<std::jthread>;

  bool begin_one();
  void work(Threads::iterator self);

  const std::size_t most_, room_;
  std::mutex mutex_;
  std::condition_variable all_ended_;
  std::deque<std::function<void()>> tasks_;
  Threads at_work_, ended_;  // the latter are joined by whoever comes next
};

}  // namespace glossa::serve
