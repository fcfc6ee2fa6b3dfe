#include "app/serve/connections.h"

#include <malloc.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/serve/connection.h"
#include "app/serve/http_error.h"
#include "base/check.h"

namespace glossa::serve {

namespace {

using Clock = Connection::Clock;

/// Interval for checking deadlines and the stop request.
constexpr int tick_ms = 50;

/// Maximum new connections accepted before the others get a turn.
constexpr int accepted_at_once = 64;

/// Time limits when the server ends: for answering the current requests, and for a client to read its answer.
constexpr std::chrono::milliseconds last_answers(2000), last_words(500);

constexpr std::string_view end_text = "the server is shutting down";

/// Maximum bytes of requests and answers, over all connections and threads. If there are more, the connection with the
/// most yields (see `hold`). Requests and answers of up to `always_fits` bytes are never refused.
constexpr std::size_t max_held = std::size_t{256} << 20, always_fits = 16384;

/// Freed bytes that are worth returning to the system.
constexpr std::size_t worth_trimming = std::size_t{32} << 20;

/// Time after a request's deadline in which it still gets its usual answer.
constexpr std::chrono::milliseconds answer_grace(500);

/// Descriptors that the process needs for other purposes.
constexpr rlim_t other_descriptors = 64;

/// Raises the descriptor limit to its maximum; returns how many connections that allows.
std::size_t connections_allowed() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return std::max<rlim_t>(limit.rlim_cur, 2 * other_descriptors) - other_descriptors;
}

/// Replaces `value` and frees its old memory, which a string would keep if it were assigned an empty one.
template <class Value>
void replace(Value& value, Value other) {
  std::swap(value, other);
}

}  // namespace

class Connections::Loop {
 public:
  Loop(Listener listener, const Limits& limits);

  void serve(Hooks hooks, const std::function<bool()>& stops);
  std::size_t open() const { return open_; }

 private:
  using State = Connection::State;

  void accept_some() noexcept;
  void add(Descriptor socket, const char* host);
  bool make_room() noexcept;
  bool watch(std::uint64_t number, const Connection& connection, int operation);
  void enter(std::uint64_t number, Connection& connection, State state);
  bool hold(Connection& connection, std::size_t bytes);
  void close(std::uint64_t number) noexcept;
  template <class Act>
  void attempt(std::uint64_t number, const Act& act) noexcept;
  void on_ready(std::uint64_t number, Connection& connection, std::uint32_t events);
  void read(std::uint64_t number, Connection& connection);
  void use(std::uint64_t number, Connection& connection, std::string_view bytes);
  void ask(std::uint64_t number, Connection& connection);
  void reply(std::uint64_t number, Connection& connection, Reply reply);
  void write(std::uint64_t number, Connection& connection);
  void on_answers() noexcept;
  void on_tick() noexcept;
  void on_deadline(std::uint64_t number, Connection& connection);
  void trim() noexcept;
  static void probe(Connection& connection);
  void begin_to_end() noexcept;

  /// Numbers of `listener_` and `outbox_` in epoll's set; connections have larger ones.
  static constexpr std::uint64_t listener_number = 0, outbox_number = 1;

  Listener listener_;
  Limits limits_;
  Hooks hooks_;  // set while serving
  Descriptor epoll_;
  std::shared_ptr<Outbox> outbox_ = std::make_shared<Outbox>();
  ConnectedClients clients_;
  std::unordered_map<std::uint64_t, Connection> connections_;
  std::vector<std::uint64_t> numbers_;  // of some connections; has room for all
  std::uint64_t last_number_ = outbox_number;
  std::shared_ptr<MemoryShare::Sum> held_ = std::make_shared<MemoryShare::Sum>(0);
  bool ends_ = false;
  Clock::time_point gives_up_{};  // once the server ends: when unanswered requests are given up
  std::vector<char> buffer_ = std::vector<char>(65536);
  std::size_t most_held_ = 0;  // since memory was returned to the system
  std::atomic<std::size_t> open_ = 0;
  friend class Connections;
};

Connections::Loop::Loop(Listener listener, const Limits& limits)
    : listener_(std::move(listener)), limits_(limits), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  limits_.connections = std::min(limits_.connections, connections_allowed());
  numbers_.reserve(limits_.connections);
  for (const auto& [descriptor, number] :
       {std::pair{listener_.socket.number(), listener_number}, {outbox_->descriptor(), outbox_number}}) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = number}};
    const bool is_watched = epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, descriptor, &event) == 0;
    check(is_watched, "serve", "cannot wait for connections: {}", std::strerror(errno));
  }
}

void Connections::Loop::serve(Hooks hooks, const std::function<bool()>& stops) {
  hooks_ = std::move(hooks);
  std::array<epoll_event, 256> events;
  for (Clock::time_point ticked = Clock::now(); !ends_ || !connections_.empty();) {
    const int count = epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()), tick_ms);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t number = events[i].data.u64;
      if (number == listener_number)
        accept_some();
      else if (number == outbox_number)
        on_answers();
      else
        attempt(number, [&](Connection& connection) { on_ready(number, connection, events[i].events); });
    }
    if (const Clock::time_point now = Clock::now(); now - ticked >= std::chrono::milliseconds(tick_ms)) {
      ticked = now;
      if (!ends_ && stops()) begin_to_end();
      on_tick();
    }
    open_ = connections_.size();
  }
}

void Connections::Loop::accept_some() noexcept {
  for (int i = 0; i < accepted_at_once && !ends_; ++i) {
    sockaddr_storage peer{};
    socklen_t length = sizeof peer;
    auto* const address = reinterpret_cast<sockaddr*>(&peer);
    Descriptor socket(accept4(listener_.socket.number(), address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.number() < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      // Out of descriptors or memory: closes a connection that may be closed; the next tick tries again.
      if (errno != EAGAIN && !make_room()) usleep(1000);
      return;
    }
    if (connections_.size() >= limits_.connections && !make_room()) continue;  // closes the new one
    char host[NI_MAXHOST] = "";
    if (getnameinfo(address, length, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0) continue;
    try {
      add(std::move(socket), host);
    } catch (...) {  // no memory
      make_room();
    }
  }
}

void Connections::Loop::add(Descriptor socket, const char* host) {
  const int yes = 1;
  setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const std::uint64_t number = ++last_number_;
  const auto client = clients_.try_emplace(host).first;
  try {
    connections_.try_emplace(number, std::move(socket), *client, limits_.body, MemoryShare(held_));
  } catch (...) {
    if (client->second.connections == 0) clients_.erase(client);
    throw;
  }
  Connection& connection = connections_.at(number);
  connection.since = Clock::now();
  connection.expires = connection.since + limits_.idle;
  if (!watch(number, connection, EPOLL_CTL_ADD)) close(number);
}

/// Closes one of the connections that wait for their clients, of the client that has the most connections: preferably
/// one whose answer the client does not read, otherwise the one that has waited longest. Returns false if no connection
/// waits for its client.
bool Connections::Loop::make_room() noexcept {
  const Clock::time_point now = Clock::now();
  const auto to_close = [now](const auto& each) {
    const Connection& connection = each.second;
    return std::tuple(connection.state != State::asking, connection.client.second.connections,
                      connection.is_stalled(now), -connection.since.time_since_epoch());
  };
  const auto chosen = std::ranges::max_element(connections_, {}, to_close);
  if (chosen == connections_.end() || !std::get<0>(to_close(*chosen))) return false;
  close(chosen->first);
  return true;
}

/// Selects the events that the connection's state waits for. Returns false if the system refuses.
bool Connections::Loop::watch(std::uint64_t number, const Connection& connection, int operation) {
  const State state = connection.state;
  epoll_event event{.events = state == State::asking    ? (connection.sends_no_more ? 0U : EPOLLRDHUP)
                              : state == State::writing ? EPOLLOUT
                                                        : EPOLLIN,
                    .data = {.u64 = number}};
  return epoll_ctl(epoll_.number(), operation, connection.socket.number(), &event) == 0;
}

void Connections::Loop::enter(std::uint64_t number, Connection& connection, State state) {
  connection.state = state;
  watch(number, connection, EPOLL_CTL_MOD);
}

/// Sets a connection's share of the common memory. If too much is held, connections of the client that holds the most
/// yield: first those whose answer the client does not read, then the largest. Requests are refused, and answers are
/// given up. Returns false if this connection should yield.
bool Connections::Loop::hold(Connection& connection, std::size_t bytes) {
  connection.set_share(bytes);
  const Clock::time_point now = Clock::now();
  const auto to_yield = [&](const auto& each) {
    const Connection& other = each.second;
    const std::size_t held = other.share.bytes();  // 0 while being answered
    return std::tuple(other.client.second.held, held > 0 && other.is_stalled(now), held, &other == &connection);
  };
  while (bytes > always_fits && *held_ > std::max(max_held, 2 * limits_.body)) {
    const auto chosen = std::ranges::max_element(connections_, {}, to_yield);
    const std::uint64_t number = chosen->first;
    if (&chosen->second == &connection || chosen->second.share.bytes() == 0) return false;
    if (chosen->second.state == State::writing)
      close(number);
    else
      attempt(number, [&](Connection& other) { reply(number, other, busy_reply()); });
  }
  return true;
}

void Connections::Loop::close(std::uint64_t number) noexcept {
  const auto found = connections_.find(number);
  ConnectedClients::value_type& client = found->second.client;
  connections_.erase(found);
  if (client.second.connections == 0) clients_.erase(clients_.find(client.first));
}

/// Calls act(connection) if the connection is still open. If that throws, as memory has run out, gives up the
/// connection, with an answer if the client can still get one. No other connection is affected.
template <class Act>
void Connections::Loop::attempt(std::uint64_t number, const Act& act) noexcept {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  try {
    act(found->second);
  } catch (...) {
    const auto rest = connections_.find(number);
    if (rest == connections_.end()) return;
    Connection& connection = rest->second;
    const bool was_answered = connection.state == State::writing || connection.state == State::lingering;
    if (was_answered)
      close(number);
    else
      reply(number, connection, no_memory_reply());
  }
}

void Connections::Loop::on_ready(std::uint64_t number, Connection& connection, std::uint32_t events) {
  if (connection.state == State::asking) {  // watched only for the connection's end
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) return close(number);
    connection.sends_no_more = true;
    watch(number, connection, EPOLL_CTL_MOD);
  } else if (connection.state == State::writing) {
    write(number, connection);
  } else {
    read(number, connection);
  }
}

void Connections::Loop::read(std::uint64_t number, Connection& connection) {
  const int look = connection.state == State::lingering ? 0 : MSG_PEEK;
  const ssize_t count = recv(connection.socket.number(), buffer_.data(), buffer_.size(), look);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count > 0) {
    if (connection.state != State::lingering)
      use(number, connection, {buffer_.data(), static_cast<std::size_t>(count)});
  } else if (count == 0 && connection.state == State::reading) {
    reply(number, connection, final_error(400, "expected a complete request; the connection ended early"));
  } else {
    close(number);
  }
}

/// Takes the bytes of the current request. Those of later requests stay with the system.
void Connections::Loop::use(std::uint64_t number, Connection& connection, std::string_view bytes) {
  RequestReader& reader = connection.reader;
  try {
    for (std::size_t left = reader.feed(bytes); left > 0;) {
      const ssize_t count = recv(connection.socket.number(), buffer_.data(), left, MSG_TRUNC);
      if (count <= 0) return close(number);
      left -= static_cast<std::size_t>(count);
    }
    if (connection.state == State::idle && reader.has_begun()) {
      connection.state = State::reading;
      connection.since = Clock::now();
      connection.expires = connection.since + limits_.request;
    }
    if (!hold(connection, reader.size())) return reply(number, connection, busy_reply());
    if (reader.take_expectation()) {  // short enough to send at once if the client reads
      constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
      send(connection.socket.number(), go_on.data(), go_on.size(), MSG_NOSIGNAL);
    }
    if (reader.is_complete()) ask(number, connection);
  } catch (const HttpError& error) {
    if (connection.state == State::idle) connection.since = Clock::now();  // malformed in its first bytes
    reply(number, connection, final_error(error.status(), error.what()));
  }
}

void Connections::Loop::ask(std::uint64_t number, Connection& connection) {
  connection.keeps = connection.reader.keeps_connection() && !ends_;
  connection.is_probed = connection.reader.is_http_1_0();
  Incoming incoming{connection.reader.take(),
                    {connection.client.first, connection.expires, connection.has_left},
                    connection.take_share(),
                    Answer(outbox_, number)};
  connection.is_head = incoming.request.method == "HEAD";
  enter(number, connection, State::asking);
  hooks_.ask(std::move(incoming));
}

void Connections::Loop::on_answers() noexcept {
  for (Outbox::Item& item : outbox_->take())
    attempt(item.connection, [&](Connection& connection) {
      if (connection.state == State::asking)  // not given up
        reply(item.connection, connection, std::move(item.reply));
    });
}

/// Begins to write an answer. If the request was not read to its end, the answer must be the connection's last. Needs
/// no memory for a constant reply. If it throws, no answer has begun.
void Connections::Loop::reply(std::uint64_t number, Connection& connection, Reply reply) {
  if (!hold(connection, reply.body.size())) {
    reply = busy_reply();
    hold(connection, reply.body.size());
  }
  const bool was_asking = connection.state == State::asking;
  const bool keeps = connection.keeps && !reply.is_last && !ends_;
  if (reply.constant.empty()) {
    const auto idle = std::chrono::duration_cast<std::chrono::seconds>(limits_.idle);
    connection.head = head_of(reply, keeps ? std::optional(idle) : std::nullopt);
  }
  // From here on nothing throws.
  if (!was_asking) replace(connection.reader, RequestReader(limits_.body));  // frees the part that was read
  const Clock::time_point now = Clock::now();
  hooks_.answered(reply.status, std::chrono::duration<double>(now - connection.since).count());
  connection.keeps = keeps;
  connection.constant = reply.constant;
  if (std::exchange(connection.is_head, false)) {
    reply.body = {};
    connection.constant = connection.constant.substr(0, connection.constant.find("\r\n\r\n") + 4);
  }
  replace(connection.body, std::move(reply.body));
  connection.written = 0;
  connection.since = now;
  connection.expires = now + limits_.request;
  connection.state = State::writing;
  write(number, connection);
}

void Connections::Loop::write(std::uint64_t number, Connection& connection) {
  const bool is_constant = !connection.constant.empty();
  const std::string_view head = is_constant ? connection.constant : connection.head;
  const std::string_view body = is_constant ? std::string_view() : connection.body;
  while (connection.written < head.size() + body.size()) {
    const bool is_in_head = connection.written < head.size();
    const std::string_view rest =
        is_in_head ? head.substr(connection.written) : body.substr(connection.written - head.size());
    const int more = is_in_head && !body.empty() ? MSG_MORE : 0;  // one packet for both, if it has room
    const ssize_t count = send(connection.socket.number(), rest.data(), rest.size(), MSG_NOSIGNAL | more);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return static_cast<void>(watch(number, connection, EPOLL_CTL_MOD));
    if (count < 0) return close(number);
    connection.written += static_cast<std::size_t>(count);
    connection.since = Clock::now();
  }
  replace(connection.head, {});
  replace(connection.body, {});
  connection.constant = {};
  connection.set_share(0);
  if (!connection.keeps || ends_) {
    shutdown(connection.socket.number(), SHUT_WR);
    connection.since = Clock::now();
    if (ends_) connection.expires = connection.since + last_words;
    return enter(number, connection, State::lingering);
  }
  connection.since = Clock::now();
  connection.expires = connection.since + limits_.idle;
  enter(number, connection, State::idle);
}

/// Finds out if a client has left or only closed its sending side. Sends an interim response, which HTTP/1.1 allows at
/// any time; if the client has left, its system then resets the connection.
void Connections::Loop::probe(Connection& connection) {
  constexpr std::string_view still_here = "HTTP/1.1 100 Continue\r\n\r\n";
  send(connection.socket.number(), still_here.data(), still_here.size(), MSG_NOSIGNAL);
  connection.is_probed = true;
}

void Connections::Loop::on_tick() noexcept {
  const Clock::time_point now = Clock::now();
  if (ends_ && now >= gives_up_ + last_words) return connections_.clear();
  numbers_.clear();
  for (auto& [number, connection] : connections_) {
    const bool is_asking = connection.state == State::asking;
    if (is_asking && connection.sends_no_more && !connection.is_probed) probe(connection);
    const Clock::time_point expires = connection.expires + (is_asking ? answer_grace : Clock::duration(0));
    if (now >= expires || (is_asking && ends_ && now >= gives_up_)) numbers_.push_back(number);
  }
  for (const std::uint64_t number : numbers_)
    attempt(number, [&](Connection& connection) { on_deadline(number, connection); });
  trim();
}

void Connections::Loop::on_deadline(std::uint64_t number, Connection& connection) {
  if (connection.state == State::reading)
    reply(number, connection, final_error(408, "expected a complete request in time; it came too slowly"));
  else if (connection.state == State::asking)
    reply(number, connection, ends_ ? final_error(503, end_text) : late_reply());
  else
    close(number);
}

/// Returns freed memory to the system if much less is held than before. Otherwise the heap would keep most of it.
void Connections::Loop::trim() noexcept {
  const std::size_t held = *held_;
  most_held_ = std::max(most_held_, held);
  if (most_held_ - held < worth_trimming) return;
  most_held_ = held;
  malloc_trim(0);
}

void Connections::Loop::begin_to_end() noexcept {
  ends_ = true;
  gives_up_ = Clock::now() + last_answers;
  listener_.socket = Descriptor();
  const Clock::time_point soon = Clock::now() + last_words;
  numbers_.clear();
  for (auto& [number, connection] : connections_) {
    if (connection.state == State::idle || connection.state == State::reading) numbers_.push_back(number);
    if (connection.state == State::lingering) connection.expires = std::min(connection.expires, soon);
  }
  for (const std::uint64_t number : numbers_)
    attempt(number, [&](Connection& connection) {
      if (connection.state == State::idle)
        close(number);
      else
        reply(number, connection, final_error(503, end_text));
    });
}

Connections::Connections(Listener listener, const Limits& limits)
    : loop_(std::make_unique<Loop>(std::move(listener), limits)) {}

Connections::~Connections() = default;

void Connections::serve(Hooks hooks, const std::function<bool()>& stops) { loop_->serve(std::move(hooks), stops); }

const std::string& Connections::url() const { return loop_->listener_.url; }

std::size_t Connections::open() const { return loop_->open(); }

}  // namespace glossa::serve
