#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glossa::serve {

/// A bounded queue of the pieces of many requests, for any number of threads. The pieces are taken in batches. Clients
/// take turns adding one piece to a batch, and so do the requests of each client. Large requests therefore do not delay
/// small ones.
template <class Piece>
class FairQueue {
 public:
  using Clock = std::chrono::steady_clock;

  /// At most `room` pieces wait at a time. A batch has at most `batch` pieces. It is due once `batch` pieces wait, or
  /// once the next request in turn has waited as long as `gather`.
  struct Limits {
    std::size_t room, batch;
    Clock::duration gather;
  };

  explicit FairQueue(const Limits& limits) : limits_(limits) {}

  /// Queues all pieces of a client's request. If there is no room, requests of the client with the most waiting pieces
  /// may be dropped:
  ///   - If this is another client, its largest requests are dropped, provided that it has more waiting pieces than
  ///     `client` would have after the call.
  ///   - If this is `client` itself, its largest request is dropped, provided that the new request is smaller.
  /// Returns the key for `withdraw`. If there is still no room, or if the queue is closed, adds no piece and returns
  /// nothing.
  std::optional<std::uint64_t> add(std::vector<Piece> pieces, const std::string& client = {}) {
    const std::scoped_lock lock(mutex_);
    if (closed_ || !make_room(pieces.size(), client)) return std::nullopt;
    const std::uint64_t number = ++requests_known_;
    if (pieces.empty()) return number;
    requests_.push_back({number, client, Clock::now(), std::move(pieces)});
    waiting_ += requests_.back().waiting();  // increases only after push_back, which may throw
    changed_.notify_all();
    return number;
  }

  /// Waits for the next batch and returns it. `joins(batch, piece)` returns true if `piece` may be added to `batch`; a
  /// rejected piece keeps waiting. Returns an empty batch once the queue is closed and empty.
  template <class Joins>
  std::vector<Piece> take(const Joins& joins) {
    std::vector<Piece> batch;
    std::unique_lock lock(mutex_);
    while (batch.empty()) {
      ++idle_;
      changed_.wait(lock, [&] { return waiting_ > 0 || closed_; });
      if (waiting_ > 0)
        changed_.wait_until(lock, requests_.front().since + limits_.gather,
                            [&] { return waiting_ == 0 || waiting_ >= limits_.batch || closed_; });
      --idle_;
      if (waiting_ == 0 && closed_) break;
      batch.reserve(limits_.batch);           // allocates before taking pieces: none is lost if memory runs out
      fill(batch, requests_.begin(), joins);  // adds nothing if another thread has taken all pieces
    }
    return batch;
  }

  /// As `take`, but never waits. `begins(piece)` returns true if a batch may begin with `piece`. Returns an empty batch
  /// if no piece may begin one, if no batch is due yet, or if another thread waits in `take`.
  template <class Begins, class Joins>
  std::vector<Piece> take_now(const Begins& begins, const Joins& joins) {
    std::vector<Piece> batch;
    const std::scoped_lock lock(mutex_);
    if (idle_ > 0) return batch;
    const auto first = std::ranges::find_if(requests_, begins, &Request::next);
    const bool is_due = closed_ || waiting_ >= limits_.batch ||
                        (first != requests_.end() && Clock::now() >= first->since + limits_.gather);
    if (first == requests_.end() || !is_due) return batch;
    batch.reserve(limits_.batch);
    fill(batch, first, joins);
    return batch;
  }

  /// Drops a request's waiting pieces; `number` is the key from `add`.
  void withdraw(std::uint64_t number) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(requests_, number, &Request::number);
    if (found != requests_.end()) drop(found);
  }

  /// Accepts no more requests. Pieces already waiting can still be taken.
  void close() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  /// Accepts no more requests and drops the waiting pieces.
  void clear() {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    requests_.clear();
    waiting_ = 0;
    changed_.notify_all();
  }

  /// Returns the number of threads waiting in `take`.
  std::size_t idle() const {
    const std::scoped_lock lock(mutex_);
    return idle_;
  }

  /// Returns the number of waiting pieces.
  std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return waiting_;
  }

 private:
  struct Request {
    std::uint64_t number;
    std::string client;
    Clock::time_point since;
    std::vector<Piece> pieces;
    std::size_t taken = 0;

    std::size_t waiting() const { return pieces.size() - taken; }
    const Piece& next() const { return pieces[taken]; }
  };
  using Place = typename std::list<Request>::iterator;

  void drop(Place request) {
    waiting_ -= request->waiting();
    requests_.erase(request);
  }

  /// Makes room for `count` pieces of `client`, as described at `add`. If that fails, drops nothing and returns false.
  bool make_room(std::size_t count, const std::string& client) {
    if (count <= limits_.room - waiting_) return true;
    std::map<std::string_view, std::size_t> waiting;
    for (const Request& request : requests_) waiting[request.client] += request.waiting();
    if (waiting.empty()) return false;
    const auto [most, pieces] = *std::ranges::max_element(waiting, {}, [](const auto& each) { return each.second; });
    const std::string largest(most);
    if (largest == client ? largest_of(client)->waiting() <= count : pieces <= waiting[client] + count) return false;
    while (count > limits_.room - waiting_) drop(largest_of(largest));
    return true;
  }

  Place largest_of(const std::string& client) {
    return std::ranges::max_element(
        requests_, {}, [&](const Request& request) { return request.client == client ? request.waiting() : 0; });
  }

  /// Moves a request's next piece to the batch, and the request to the end of the queue.
  void take_from(Place request, std::vector<Piece>& batch) {
    batch.push_back(std::move(request->pieces[request->taken++]));
    --waiting_;
    if (request->waiting() == 0)
      requests_.erase(request);
    else
      requests_.splice(requests_.end(), requests_, request);
  }

  /// From each client not in `served`, takes one piece that may join the batch. Returns false if no piece joined.
  template <class Joins>
  bool take_round(std::vector<Piece>& batch, std::vector<std::string> served, const Joins& joins) {
    const std::size_t before = batch.size();
    std::size_t rest = requests_.size();
    for (Place at = requests_.begin(); rest > 0 && batch.size() < limits_.batch; --rest) {
      const Place request = at++;
      if (std::ranges::find(served, request->client) != served.end()) continue;
      if (!joins(std::as_const(batch), request->next())) continue;
      served.push_back(request->client);
      take_from(request, batch);
    }
    return batch.size() > before;
  }

  /// Fills a batch, beginning with the next piece of the request `first`.
  template <class Joins>
  void fill(std::vector<Piece>& batch, Place first, const Joins& joins) {
    if (first == requests_.end()) return;
    const std::string client = first->client;
    take_from(first, batch);
    take_round(batch, {client}, joins);
    while (take_round(batch, {}, joins)) {
    }
  }

  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Request> requests_;         // requests in the order of their turns
  std::size_t waiting_ = 0, idle_ = 0;  // numbers of waiting pieces, and of threads waiting in `take`
  std::uint64_t requests_known_ = 0;
  bool closed_ = false;
};

}  // namespace glossa::serve
