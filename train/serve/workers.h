#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace glossa::serve {

/// A number of threads and the tasks that wait for one, at most `room`.
class Workers {
 public:
  Workers(std::size_t threads, std::size_t room);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Ends when all tasks are done.
  ~Workers();

  /// Has a task done, which throws nothing; false where there is no room for it.
  bool post(std::function<void()> task);

 private:
  void work();

  const std::size_t room_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace glossa::serve
