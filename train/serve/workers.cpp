#include "train/serve/workers.h"

#include <utility>

namespace glossa::serve {

Workers::Workers(std::size_t threads, std::size_t room) : room_(room) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::post(std::function<void()> task) {
  const std::scoped_lock lock(mutex_);
  if (tasks_.size() >= room_) return false;
  tasks_.push_back(std::move(task));
  changed_.notify_one();
  return true;
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace glossa::serve
