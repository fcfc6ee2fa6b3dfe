#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <iterator>
#include <list>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace glossa::serve {

/// Work waiting from many askers at once, taken in batches: one piece per asker in turn, so that large requests do not
/// delay small ones. Bounded. For any number of threads.
template <class Piece>
class FairQueue {
 public:
  using Clock = std::chrono::steady_clock;

  /// At most `room` pieces wait at a time. A batch has at most `batch` pieces; others may join it until it is full, or
  /// until the piece waiting longest has waited for `gather`.
  struct Limits {
    std::size_t room, batch;
    Clock::duration gather;
  };

  explicit FairQueue(const Limits& limits) : limits_(limits) {}

  /// Queues all pieces of an asker. If there is no room, askers with the most waiting yield to one with fewer: their
  /// waiting pieces are dropped. Returns the key for `withdraw`; nothing, adding none, if there is still no room or the
  /// queue is closed.
  std::optional<std::uint64_t> add(std::vector<Piece> pieces) {
    const std::scoped_lock lock(mutex_);
    if (closed_ || !make_room(pieces.size())) return std::nullopt;
    const std::uint64_t client = ++clients_known_;
    if (pieces.empty()) return client;
    waiting_ += pieces.size();
    clients_.push_back({client, Clock::now(), std::move(pieces)});
    changed_.notify_all();
    return client;
  }

  /// The next batch: waits for one. `joins(batch, piece)` is true if a piece fits those already in the batch; one that
  /// does not keeps waiting. Empty once the queue is closed and drained.
  template <class Joins>
  std::vector<Piece> take(const Joins& joins) {
    std::unique_lock lock(mutex_);
    std::vector<Piece> batch;
    while (batch.empty()) {
      changed_.wait(lock, [&] { return waiting_ > 0 || closed_; });
      if (waiting_ == 0) break;
      changed_.wait_until(lock, clients_.front().since + limits_.gather,
                          [&] { return waiting_ == 0 || waiting_ >= limits_.batch || closed_; });
      fill(batch, joins);  // another taker may have left nothing
    }
    return batch;
  }

  /// Drops an asker's waiting pieces.
  void withdraw(std::uint64_t client) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(clients_, client, &Client::number);
    if (found != clients_.end()) drop(found);
  }

  /// Takes no more; still hands out the rest.
  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  /// Pieces waiting.
  std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return waiting_;
  }

 private:
  struct Client {
    std::uint64_t number;
    Clock::time_point since;
    std::vector<Piece> pieces;
    std::size_t taken = 0;

    std::size_t waiting() const { return pieces.size() - taken; }
  };

  void drop(std::list<Client>::iterator client) {
    waiting_ -= client->waiting();
    clients_.erase(client);
  }

  bool make_room(std::size_t count) {
    while (count > limits_.room - waiting_) {
      const auto largest = std::ranges::max_element(clients_, {}, &Client::waiting);
      if (largest == clients_.end() || largest->waiting() <= count) return false;
      drop(largest);
    }
    return true;
  }

  /// Goes round the askers, starting with the next in turn, until the batch is full or no asker has a piece that joins.
  template <class Joins>
  void fill(std::vector<Piece>& batch, const Joins& joins) {
    std::size_t refused = 0;  // in a row
    while (batch.size() < limits_.batch && refused < clients_.size()) {
      const auto client = clients_.begin();
      Piece& piece = client->pieces[client->taken];
      if (batch.empty() || joins(std::as_const(batch), std::as_const(piece))) {
        batch.push_back(std::move(piece));
        refused = 0;
        ++client->taken;
        --waiting_;
        if (client->waiting() == 0) {
          clients_.erase(client);
          continue;
        }
      } else {
        ++refused;
      }
      clients_.splice(clients_.end(), clients_, client);
    }
  }

  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Client> clients_;  // the next in turn first
  std::size_t waiting_ = 0;
  std::uint64_t clients_known_ = 0;
  bool closed_ = false;
};

}  // namespace glossa::serve
