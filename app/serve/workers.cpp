#include "app/serve/workers.h"

#include <unistd.h>

#include <utility>

namespace glossa::serve {

Workers::~Workers() {
  std::unique_lock lock(mutex_);
  all_ended_.wait(lock, [&] { return at_work_.empty(); });
}

bool Workers::wait_for(std::chrono::steady_clock::duration time) {
  std::unique_lock lock(mutex_);
  return all_ended_.wait_for(lock, time, [&] { return at_work_.empty(); });
}

bool Workers::post(std::function<void()> task) {
  const std::scoped_lock lock(mutex_);
  if (tasks_.size() >= room_) return false;
  tasks_.push_back(std::move(task));
  if (at_work_.size() == max_threads_ || begin_one() || !at_work_.empty()) return true;
  tasks_.pop_back();
  return false;
}

/// False if the system has no more threads.
bool Workers::begin_one() {
  const auto self = at_work_.emplace(at_work_.end());
  try {
    *self = std::jthread([this, self] { work(self); });  // which waits for the lock
    return true;
  } catch (...) {  // no memory, or too many threads
    at_work_.erase(self);
    return false;
  }
}

void Workers::work(Threads::iterator self) {
  if (niceness_ > 0) static_cast<void>(nice(niceness_));  // of this thread, on Linux
  Threads before;                                         // joined without the lock
  std::unique_lock lock(mutex_);
  while (!tasks_.empty()) {
    {
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
    lock.lock();
  }
  before.swap(ended_);
  ended_.splice(ended_.end(), at_work_, self);
  if (at_work_.empty()) all_ended_.notify_all();
}

}  // namespace glossa::serve
