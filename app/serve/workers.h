#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace glossa::serve {

/// Threads for the tasks of many clients, up to a maximum, and at most `room` tasks waiting for one. Clients take
/// turns, and none has more threads than are free, so that another client's task begins at once. A thread starts with a
/// task and ends when none waits for it: permanent threads would, one after the other, each take memory for its stack
/// and, from the heap, for reusable blocks.
class Workers {
 public:
  /// Just one of the functions is called. Neither may throw.
  struct Task {
    std::function<void()> run, refuse;
  };

  /// `niceness`: how much more the threads yield the cores to others than the calling thread does, 0 to 19.
  Workers(std::size_t threads, std::size_t room, int niceness = 0)
      : max_threads_(threads), room_(room), niceness_(niceness) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Ends when all tasks are done.
  ~Workers();

  /// True if all tasks are done within the given time.
  bool wait_for(std::chrono::steady_clock::duration time);

  /// Queues a client's task. If there is no room, the newest task of the client with the most waiting is refused. The
  /// task itself is refused if no thread is available.
  void post(const std::string& client, Task task);

 private:
  struct Client {
    std::string name;
    std::deque<Task> waiting = {};
    std::size_t running = 0;
  };
  using Clients = std::list<Client>;
  using Threads = std::list<std::jthread>;

  Clients::iterator next();
  Task drop_newest(Clients::iterator client);
  void forget_if_idle(Clients::iterator client);
  bool begin_one();
  void work(Threads::iterator self);

  const std::size_t max_threads_, room_;
  const int niceness_;
  std::mutex mutex_;
  std::condition_variable all_ended_;
  Clients clients_;                        // with tasks, the next in turn first
  std::size_t waiting_ = 0, running_ = 0;  // tasks
  Threads at_work_, ended_;                // the next thread to end joins the latter
};

}  // namespace glossa::serve
