#include "app/serve/workers.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
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

void Workers::post(const std::string& client, Task task) {
  Task refused;
  {
    const std::scoped_lock lock(mutex_);
    const auto own = add(client, std::move(task));
    const bool has_thread =
        at_work_.size() == max_threads_ || next() == clients_.end() || begin_one() || !at_work_.empty();
    const auto waiting = [](const Client& each) { return each.waiting.size(); };
    const auto most = std::ranges::max_element(clients_, {}, waiting);
    if (!has_thread || waiting_ > room_)
      refused = drop_newest(has_thread && waiting(*most) > waiting(*own) ? most : own);
  }
  if (refused.refuse) call(refused.refuse);
}

void Workers::call(const std::function<void()>& function) noexcept {
  try {
    function();
  } catch (...) {  // the task's owner notices that the task was destroyed
  }
}

/// Queues a task and returns its client.
Workers::Clients::iterator Workers::add(const std::string& client, Task task) {
  auto own = std::ranges::find(clients_, client, &Client::name);
  if (own == clients_.end()) own = clients_.insert(own, Client{client});
  try {
    own->waiting.push_back(std::move(task));
  } catch (...) {
    forget_if_idle(own);
    throw;
  }
  ++waiting_;
  return own;
}

/// Returns the client whose task begins next: the first in turn that uses fewer threads than are free.
Workers::Clients::iterator Workers::next() {
  return std::ranges::find_if(clients_, [&](const Client& client) {
    return !client.waiting.empty() && client.running < max_threads_ - running_;
  });
}

Workers::Task Workers::drop_newest(Clients::iterator client) {
  Task task = std::move(client->waiting.back());
  client->waiting.pop_back();
  --waiting_;
  forget_if_idle(client);
  return task;
}

void Workers::forget_if_idle(Clients::iterator client) {
  if (client->waiting.empty() && client->running == 0) clients_.erase(client);
}

/// Starts a thread. Returns false if the system refuses.
bool Workers::begin_one() noexcept {
  auto self = at_work_.end();
  try {
    self = at_work_.emplace(self);
    *self = std::jthread([this, self] { work(self); });  // `work` waits for the lock
    return true;
  } catch (...) {  // memory ran out, or there are too many threads
    if (self != at_work_.end()) at_work_.erase(self);
    return false;
  }
}

void Workers::work(Threads::iterator self) {
  if (niceness_ > 0) static_cast<void>(nice(niceness_));  // on Linux, this affects only the calling thread
  std::unique_lock lock(mutex_);
  for (auto client = next(); client != clients_.end() || !ended_.empty(); client = next()) {
    if (client == clients_.end()) {  // joins the ended threads before this one ends
      Threads before;
      before.swap(ended_);
      lock.unlock();
      before.clear();
      lock.lock();
      continue;
    }
    {
      const Task task = std::move(client->waiting.front());
      client->waiting.pop_front();
      clients_.splice(clients_.end(), clients_, client);
      --waiting_;
      ++running_;
      ++client->running;
      lock.unlock();
      call(task.run);
    }
    lock.lock();
    --running_;
    --client->running;
    forget_if_idle(client);
  }
  ended_.splice(ended_.end(), at_work_, self);
  if (at_work_.empty()) all_ended_.notify_all();
}

}  // namespace glossa::serve
