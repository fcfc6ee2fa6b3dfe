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

/// Runs tasks of many clients on up to `threads` threads. Up to `room` tasks wait for a thread. Clients take turns. A
/// client's task begins only while more threads are free than the client uses, so that one client cannot take them all.
/// A thread starts when a task needs one, and ends when no task can begin. If threads were permanent, each would
/// eventually hold memory for its stack and its reusable heap blocks.
class Workers {
 public:
  /// The work, and the function that reports a refusal. At most one of the two is called, once. If a function throws,
  /// or if memory runs out before the call, the task is only destroyed.
  struct Task {
    std::function<void()> run, refuse;
  };

  /// `niceness`, 0 to 19, is added to the niceness that threads inherit. A larger value leaves more CPU time to other
  /// threads.
  Workers(std::size_t threads, std::size_t room, int niceness = 0)
      : max_threads_(threads), room_(room), niceness_(niceness) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Waits until all tasks are done.
  ~Workers();

  /// Waits for at most `time`. Returns true if all tasks finish within it.
  bool wait_for(std::chrono::steady_clock::duration time);

  /// Queues a client's task. If there is no room, the newest task of the client with the most waiting tasks is refused.
  /// The posted task is refused if no thread is running and none can be started. Throws if memory runs out; the task is
  /// then destroyed.
  void post(const std::string& client, Task task);

 private:
  struct Client {
    std::string name;
    std::deque<Task> waiting = {};
    std::size_t running = 0;
  };
  using Clients = std::list<Client>;
  using Threads = std::list<std::jthread>;

  static void call(const std::function<void()>& function) noexcept;
  Clients::iterator next();
  Clients::iterator add(const std::string& client, Task task);
  Task drop_newest(Clients::iterator client);
  void forget_if_idle(Clients::iterator client);
  bool begin_one() noexcept;
  void work(Threads::iterator self);

  const std::size_t max_threads_, room_;
  const int niceness_;
  std::mutex mutex_;
  std::condition_variable all_ended_;
  Clients clients_;                        // clients with tasks, in the order of their turns
  std::size_t waiting_ = 0, running_ = 0;  // numbers of waiting and running tasks
  Threads at_work_, ended_;                // before a thread ends, it joins the threads in `ended_`
};

}  // namespace glossa::serve
