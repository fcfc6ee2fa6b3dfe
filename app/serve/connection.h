#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "app/serve/listener.h"
#include "app/serve/request_reader.h"

namespace glossa::serve {

/// A number of bytes that counts toward a common sum while this object exists. Moving transfers the bytes and leaves
/// the source with 0.
class MemoryShare {
 public:
  using Sum = std::atomic<std::size_t>;

  explicit MemoryShare(std::shared_ptr<Sum> sum) : sum_(std::move(sum)) {}
  MemoryShare(MemoryShare&& other) noexcept : sum_(other.sum_), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryShare& operator=(MemoryShare&&) = delete;
  ~MemoryShare() { set(0); }

  std::size_t bytes() const { return bytes_; }
  void set(std::size_t bytes) { *sum_ += bytes - std::exchange(bytes_, bytes); }

 private:
  std::shared_ptr<Sum> sum_;  // shared by all MemoryShare objects
  std::size_t bytes_ = 0;
};

/// All connections from one address.
struct ConnectedClient {
  std::size_t connections = 0;
  std::size_t held = 0;  // bytes held by these connections
};
using ConnectedClients = std::unordered_map<std::string, ConnectedClient>;  // keyed by address

/// An open connection, which handles one request after another. While a request is unanswered, the bytes of the next
/// request stay in the socket.
struct Connection {
  using Clock = std::chrono::steady_clock;

  enum class State {
    idle,       // no byte of a request has arrived
    reading,    // some bytes of a request have arrived
    asking,     // the request is being answered
    writing,    // the answer is being sent
    lingering,  // the last answer is sent; input is discarded until the client has read it
  };

  Connection(std::uint64_t number, Descriptor descriptor, ConnectedClients::value_type& from, std::size_t max_body,
             MemoryShare empty)
      : number(number), socket(std::move(descriptor)), client(from), reader(max_body), share(std::move(empty)) {
    ++client.second.connections;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    *has_left = true;
    set_share(0);
    --client.second.connections;
  }

  /// Begins a state that may last for `time`.
  void enter(State next, Clock::duration time) {
    state = next;
    since = Clock::now();
    expires = since + time;
  }

  /// Sets the memory that the incoming request or the answer's body holds.
  void set_share(std::size_t bytes) {
    client.second.held += bytes - share.bytes();
    share.set(bytes);
  }

  /// Gives the share to the request that is being answered.
  MemoryShare take_share() {
    client.second.held -= share.bytes();
    return std::move(share);
  }

  /// True if the client has not accepted any of its answer for a second.
  bool is_stalled(Clock::time_point now) const {
    return state == State::writing && now - since >= std::chrono::seconds(1);
  }

  const std::uint64_t number;  // number in order of arrival
  Descriptor socket;
  ConnectedClients::value_type& client;
  const std::shared_ptr<std::atomic<bool>> has_left = std::make_shared<std::atomic<bool>>(false);
  RequestReader reader;
  State state = State::idle;
  Clock::time_point since{};    // when the state began; when writing, the last progress
  Clock::time_point expires{};  // when the state times out
  std::string head, body;       // head and body of the answer
  std::string_view constant;    // all bytes of the answer; empty: `head` and `body` have them
  std::size_t written = 0;      // number of bytes of the answer already sent
  MemoryShare share;            // see set_share
  bool keeps = true, is_head = false;
  bool sends_no_more = false, is_probed = false;
};

}  // namespace glossa::serve
