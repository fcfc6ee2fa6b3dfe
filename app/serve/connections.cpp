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
#include <cerrno>
#include <cstring>
#include <tuple>
#include <utility>

#include "app/serve/http_error.h"
#include "base/check.h"

namespace glossa::serve {

namespace {

/// Interval for checking deadlines and the stop request.
constexpr int tick_ms = 50;

/// Maximum number of connections accepted before existing ones get a turn.
constexpr int accepted_at_once = 64;

/// Time limits when the server ends: for answering current requests, and for a client to read its answer.
constexpr std::chrono::milliseconds last_answers(2000), last_words(500);

/// Maximum bytes of requests and answers, over all connections and threads. Beyond this limit, the connection with the
/// most bytes yields (see `hold`). Requests and answers of up to `always_fits` bytes are never refused.
constexpr std::size_t max_held = std::size_t{256} << 20, always_fits = 16384;

/// Minimum number of freed bytes for which memory is returned to the system.
constexpr std::size_t worth_trimming = std::size_t{32} << 20;

/// Time after a request's deadline in which it can still get its usual answer.
constexpr std::chrono::milliseconds answer_grace(500);

/// Number of descriptors that the process needs for other purposes.
constexpr rlim_t other_descriptors = 64;

/// Raises the descriptor limit to its maximum. Returns the number of connections that it then allows.
std::size_t connections_allowed() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return std::max<rlim_t>(limit.rlim_cur, 2 * other_descriptors) - other_descriptors;
}

/// Sends an interim response, which HTTP/1.1 allows at any time. It is short enough to send at once if the client is
/// reading.
void send_interim(const Connection& connection) {
  constexpr std::string_view text = "HTTP/1.1 100 Continue\r\n\r\n";
  send(connection.socket.number(), text.data(), text.size(), MSG_NOSIGNAL);
}

/// Replaces `value` and frees its old memory, which assigning an empty string would keep.
template <class Value>
void replace(Value& value, Value other) {
  std::swap(value, other);
}

}  // namespace

Connections::Connections(Listener listener, const Limits& limits)
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

void Connections::serve(Hooks hooks, const std::function<bool()>& stops) {
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
        attempt(number, [&](Connection& connection) { on_ready(connection, events[i].events); });
    }
    if (const Clock::time_point now = Clock::now(); now - ticked >= std::chrono::milliseconds(tick_ms)) {
      ticked = now;
      if (!ends_ && stops()) begin_to_end();
      on_tick();
    }
    open_ = connections_.size();
  }
}

void Connections::accept_some() noexcept {
  for (int i = 0; i < accepted_at_once && !ends_; ++i) {
    sockaddr_storage peer{};
    socklen_t length = sizeof peer;
    auto* const address = reinterpret_cast<sockaddr*>(&peer);
    Descriptor socket(accept4(listener_.socket.number(), address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.number() < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      // Descriptors or memory ran out. Closes a connection if possible; the next tick tries again.
      if (errno != EAGAIN && !make_room()) usleep(1000);
      return;
    }
    if (connections_.size() >= limits_.connections && !make_room()) continue;  // the new connection is closed
    char host[NI_MAXHOST] = "";
    if (getnameinfo(address, length, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0) continue;
    try {
      add(std::move(socket), host);
    } catch (...) {  // memory ran out
      make_room();
    }
  }
}

void Connections::add(Descriptor socket, const char* host) {
  const int yes = 1;
  setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const std::uint64_t number = ++last_number_;
  const auto client = clients_.try_emplace(host).first;
  try {
    connections_.try_emplace(number, number, std::move(socket), *client, limits_.body, MemoryShare(held_));
  } catch (...) {
    if (client->second.connections == 0) clients_.erase(client);
    throw;
  }
  Connection& connection = connections_.at(number);
  connection.enter(State::idle, limits_.idle);
  if (!watch(connection, EPOLL_CTL_ADD)) close(connection);
}

/// Closes a connection that waits for its client. Chooses from the client with the most connections. Prefers one whose
/// answer the client does not read; otherwise closes the one that has waited longest. Returns false if no connection
/// waits for its client.
bool Connections::make_room() noexcept {
  const Clock::time_point now = Clock::now();
  const auto to_close = [now](const auto& each) {
    const Connection& connection = each.second;
    return std::tuple(connection.state != State::asking, connection.client.second.connections,
                      connection.is_stalled(now), -connection.since.time_since_epoch());
  };
  const auto chosen = std::ranges::max_element(connections_, {}, to_close);
  if (chosen == connections_.end() || !std::get<0>(to_close(*chosen))) return false;
  close(chosen->second);
  return true;
}

/// Selects the events for which the connection's state waits. Returns false if the system refuses.
bool Connections::watch(const Connection& connection, int operation) {
  const State state = connection.state;
  epoll_event event{.events = state == State::asking    ? (connection.sends_no_more ? 0U : EPOLLRDHUP)
                              : state == State::writing ? EPOLLOUT
                                                        : EPOLLIN,
                    .data = {.u64 = connection.number}};
  return epoll_ctl(epoll_.number(), operation, connection.socket.number(), &event) == 0;
}

/// Sets a connection's share of the common memory. If the total exceeds the limit, connections of the client that holds
/// the most yield. Those whose answer the client does not read yield first, then the largest. A connection yields by
/// refusing its request or giving up its answer. Returns false if this connection should yield.
bool Connections::hold(Connection& connection, std::size_t bytes) {
  connection.set_share(bytes);
  const Clock::time_point now = Clock::now();
  const auto to_yield = [&](const auto& each) {
    const Connection& other = each.second;
    const std::size_t held = other.share.bytes();  // 0 while a request is being answered
    return std::tuple(other.client.second.held, held > 0 && other.is_stalled(now), held, &other == &connection);
  };
  while (bytes > always_fits && *held_ > std::max(max_held, 2 * limits_.body)) {
    const auto chosen = std::ranges::max_element(connections_, {}, to_yield);
    if (&chosen->second == &connection || chosen->second.share.bytes() == 0) return false;
    if (chosen->second.state == State::writing)
      close(chosen->second);
    else
      attempt(chosen->first, [&](Connection& other) { reply(other, busy_reply()); });
  }
  return true;
}

void Connections::close(Connection& connection) noexcept {
  ConnectedClients::value_type& client = connection.client;
  connections_.erase(connections_.find(connection.number));
  if (client.second.connections == 0) clients_.erase(clients_.find(client.first));
}

/// Calls act(connection) if the connection is still open. If `act` throws because memory has run out, gives up the
/// connection, with an answer if one can still be sent. No other connection is affected.
template <class Act>
void Connections::attempt(std::uint64_t number, const Act& act) noexcept {
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
      close(connection);
    else
      reply(connection, no_memory_reply());
  }
}

void Connections::on_ready(Connection& connection, std::uint32_t events) {
  if (connection.state == State::asking) {  // this state is watched only for the connection's end
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) return close(connection);
    connection.sends_no_more = true;
    watch(connection, EPOLL_CTL_MOD);
  } else if (connection.state == State::writing) {
    write(connection);
  } else {
    read(connection);
  }
}

void Connections::read(Connection& connection) {
  const int look = connection.state == State::lingering ? 0 : MSG_PEEK;
  const ssize_t count = recv(connection.socket.number(), buffer_.data(), buffer_.size(), look);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count > 0) {
    if (connection.state != State::lingering) use(connection, {buffer_.data(), static_cast<std::size_t>(count)});
  } else if (count == 0 && connection.state == State::reading) {
    reply(connection, final_error(400, "expected a complete request; the connection ended early"));
  } else {
    close(connection);
  }
}

/// Takes the bytes of the current request. The system keeps the bytes of later requests.
void Connections::use(Connection& connection, std::string_view bytes) {
  RequestReader& reader = connection.reader;
  try {
    for (std::size_t left = reader.feed(bytes); left > 0;) {
      const ssize_t count = recv(connection.socket.number(), buffer_.data(), left, MSG_TRUNC);
      if (count <= 0) return close(connection);
      left -= static_cast<std::size_t>(count);
    }
    if (connection.state == State::idle && reader.has_begun()) connection.enter(State::reading, limits_.request);
    if (!hold(connection, reader.size())) return reply(connection, busy_reply());
    if (reader.take_expectation()) send_interim(connection);
    if (reader.is_complete()) ask(connection);
  } catch (const HttpError& error) {
    if (connection.state == State::idle) connection.since = Clock::now();  // the error is in the first bytes
    reply(connection, final_error(error.status(), error.what()));
  }
}

void Connections::ask(Connection& connection) {
  connection.keeps = connection.reader.keeps_connection() && !ends_;
  connection.is_probed = connection.reader.is_http_1_0();
  Incoming incoming{connection.reader.take(),
                    {connection.client.first, connection.expires, connection.has_left},
                    connection.take_share(),
                    Answer(outbox_, connection.number)};
  connection.is_head = incoming.request.method == "HEAD";
  connection.state = State::asking;
  watch(connection, EPOLL_CTL_MOD);
  hooks_.ask(std::move(incoming));
}

void Connections::on_answers() noexcept {
  for (Outbox::Item& item : outbox_->take())
    attempt(item.connection, [&](Connection& connection) {
      if (connection.state == State::asking)  // the request was not given up meanwhile
        reply(connection, std::move(item.reply));
    });
}

/// Begins to write an answer. If the request was not read to its end, the answer must be the connection's last. Needs
/// no memory for a constant reply. Throws only before the answer begins.
void Connections::reply(Connection& connection, Reply reply) {
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
  if (!was_asking) replace(connection.reader, RequestReader(limits_.body));  // frees the bytes already read
  hooks_.answered(reply.status, std::chrono::duration<double>(Clock::now() - connection.since).count());
  connection.keeps = keeps;
  connection.constant = reply.constant;
  if (std::exchange(connection.is_head, false)) {
    reply.body = {};
    connection.constant = connection.constant.substr(0, connection.constant.find("\r\n\r\n") + 4);
  }
  replace(connection.body, std::move(reply.body));
  connection.written = 0;
  connection.enter(State::writing, limits_.request);
  write(connection);
}

void Connections::write(Connection& connection) {
  const bool is_constant = !connection.constant.empty();
  const std::string_view head = is_constant ? connection.constant : connection.head;
  const std::string_view body = is_constant ? std::string_view() : connection.body;
  while (connection.written < head.size() + body.size()) {
    const bool is_in_head = connection.written < head.size();
    const std::string_view rest =
        is_in_head ? head.substr(connection.written) : body.substr(connection.written - head.size());
    const int more = is_in_head && !body.empty() ? MSG_MORE : 0;  // one packet for head and body, if there is room
    const ssize_t count = send(connection.socket.number(), rest.data(), rest.size(), MSG_NOSIGNAL | more);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return static_cast<void>(watch(connection, EPOLL_CTL_MOD));
    if (count < 0) return close(connection);
    connection.written += static_cast<std::size_t>(count);
    connection.since = Clock::now();
  }
  replace(connection.head, {});
  replace(connection.body, {});
  connection.constant = {};
  connection.set_share(0);
  if (!connection.keeps || ends_) {
    shutdown(connection.socket.number(), SHUT_WR);
    connection.enter(State::lingering, ends_ ? last_words : connection.expires - Clock::now());
  } else {
    connection.enter(State::idle, limits_.idle);
  }
  watch(connection, EPOLL_CTL_MOD);
}

void Connections::on_tick() noexcept {
  const Clock::time_point now = Clock::now();
  if (ends_ && now >= gives_up_ + last_words) return connections_.clear();
  numbers_.clear();
  for (auto& [number, connection] : connections_) {
    const bool is_asking = connection.state == State::asking;
    // The client has left or only closed its sending side. If it has left, its system answers with a reset.
    if (is_asking && connection.sends_no_more && !std::exchange(connection.is_probed, true)) send_interim(connection);
    const Clock::time_point expires = connection.expires + (is_asking ? answer_grace : Clock::duration(0));
    if (now >= expires || (is_asking && ends_ && now >= gives_up_)) numbers_.push_back(number);
  }
  for (const std::uint64_t number : numbers_) attempt(number, [&](Connection& connection) { on_deadline(connection); });
  trim();
}

void Connections::on_deadline(Connection& connection) {
  if (connection.state != State::reading && connection.state != State::asking)
    close(connection);
  else if (ends_)
    reply(connection, final_error(503, "the server is shutting down"));
  else if (connection.state == State::asking)
    reply(connection, late_reply());
  else
    reply(connection, final_error(408, "expected a complete request in time; it came too slowly"));
}

/// Returns freed memory to the system if much less is held than before. Otherwise the heap would keep most of it.
void Connections::trim() noexcept {
  const std::size_t held = *held_;
  most_held_ = std::max(most_held_, held);
  if (most_held_ - held < worth_trimming) return;
  most_held_ = held;
  malloc_trim(0);
}

/// Makes connections without a complete request end at the next tick.
void Connections::begin_to_end() noexcept {
  const Clock::time_point now = Clock::now();
  ends_ = true;
  gives_up_ = now + last_answers;
  listener_.socket = Descriptor();
  for (auto& [number, connection] : connections_) {
    if (connection.state == State::idle || connection.state == State::reading) connection.expires = now;
    if (connection.state == State::lingering) connection.expires = std::min(connection.expires, now + last_words);
  }
}

}  // namespace glossa::serve
