#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "app/serve/answer.h"
#include "app/serve/caller.h"
#include "app/serve/connection.h"
#include "app/serve/listener.h"
#include "app/serve/reply.h"
#include "app/serve/request_reader.h"

namespace glossa::serve {

/// A request, with the information needed to answer it.
struct Incoming {
  HttpRequest request;
  Caller caller;
  MemoryShare share;  ///< the request's share of the memory for requests and answers
  Answer answer;
};

/// The server's connections. One thread handles all of them and never blocks. It collects bytes until a request is
/// complete, and sends answers as fast as clients read them. A thousand idle or slow connections then cost memory but
/// delay no other client. If memory runs out, at most the connection that needed it ends.
class Connections {
 public:
  struct Limits {
    /// Maximum number of connections. If another one arrives, the client with the most connections loses one, but not
    /// one whose request is being answered.
    std::size_t connections;
    /// Maximum bytes of a request's body.
    std::size_t body;
    /// Maximum time from a request's first byte to the answer. Sending the answer may then take as long again.
    std::chrono::steady_clock::duration request;
    /// Maximum time until a connection's next request begins.
    std::chrono::steady_clock::duration idle;
  };

  struct Hooks {
    /// Called to have a request answered.
    std::function<void(Incoming)> ask;

    /// Called with each answer's status, and with the seconds from the request's first byte to the answer. Must not
    /// throw.
    std::function<void(int status, double seconds)> answered;
  };

  Connections(Listener listener, const Limits& limits);

  /// Serves until `stops()` returns true, which is called several times a second. Then accepts no more connections and
  /// answers incomplete requests with status 503. Complete requests still get their usual answers within 2 s, and
  /// status 503 after that. Returns once all connections are closed, at most 2.5 s after the stop.
  void serve(Hooks hooks, const std::function<bool()>& stops);

  /// Returns http://HOST:PORT.
  const std::string& url() const { return listener_.url; }

  /// Returns the number of open connections; any thread may call it.
  std::size_t open() const { return open_; }

 private:
  using Clock = Connection::Clock;
  using State = Connection::State;

  void accept_some() noexcept;
  void add(Descriptor socket, const char* host);
  bool make_room() noexcept;
  bool watch(const Connection& connection, int operation);
  bool hold(Connection& connection, std::size_t bytes);
  void close(Connection& connection) noexcept;
  template <class Act>
  void attempt(std::uint64_t number, const Act& act) noexcept;
  void on_ready(Connection& connection, std::uint32_t events);
  void read(Connection& connection);
  void use(Connection& connection, std::string_view bytes);
  void ask(Connection& connection);
  void reply(Connection& connection, Reply reply);
  void write(Connection& connection);
  void on_answers() noexcept;
  void on_tick() noexcept;
  void on_deadline(Connection& connection);
  void trim() noexcept;
  void begin_to_end() noexcept;

  /// Numbers of `listener_` and `outbox_` in epoll's set; connections have larger numbers.
  static constexpr std::uint64_t listener_number = 0, outbox_number = 1;

  Listener listener_;
  Limits limits_;
  Hooks hooks_;  // callbacks; set while the server runs
  Descriptor epoll_;
  std::shared_ptr<Outbox> outbox_ = std::make_shared<Outbox>();
  ConnectedClients clients_;
  std::unordered_map<std::uint64_t, Connection> connections_;
  std::vector<std::uint64_t> numbers_;  // scratch list of connections; has room for all
  std::uint64_t last_number_ = outbox_number;
  std::shared_ptr<MemoryShare::Sum> held_ = std::make_shared<MemoryShare::Sum>(0);
  bool ends_ = false;
  Clock::time_point gives_up_{};  // when the server ends: time at which unanswered requests are given up
  std::vector<char> buffer_ = std::vector<char>(65536);
  std::size_t most_held_ = 0;  // maximum of `held_` since freed memory was last returned
  std::atomic<std::size_t> open_ = 0;
};

}  // namespace glossa::serve
