#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "app/serve/reply.h"
#include "base/descriptor.h"

namespace glossa::serve {

/// Carries replies from any thread to the thread that handles the connections.
class Outbox {
 public:
  struct Item {
    std::uint64_t connection;
    Reply reply;
  };

  /// Throws Error if the system refuses a descriptor.
  Outbox();

  /// Moves the items of a list into the outbox, and wakes the thread that waits for `descriptor()`. Needs no memory.
  void add(std::list<Item>& items) noexcept;

  /// Removes and returns all items.
  std::list<Item> take() noexcept;

  /// Returns a descriptor that is readable while there are items.
  int descriptor() const { return wake_.number(); }

 private:
  Descriptor wake_;
  std::mutex mutex_;
  std::list<Item> items_;
};

/// Sends the reply to one request, from any thread. If an Answer is destroyed unsent, it sends `no_memory_reply()`. If
/// memory runs out while a request is handled, its client therefore still gets an answer.
class Answer {
 public:
  Answer(std::shared_ptr<Outbox> outbox, std::uint64_t connection);
  Answer(Answer&&) noexcept = default;
  Answer& operator=(Answer&&) = delete;
  ~Answer();

  /// Sends the reply. Call it at most once. Needs no memory.
  void send(Reply reply) noexcept;

 private:
  std::shared_ptr<Outbox> outbox_;
  std::list<Outbox::Item> unsent_;  // memory for the reply: one item before `send`, none after it
};

}  // namespace glossa::serve
