#include "app/serve/connections.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/serve/http_error.h"
#include "app/serve/request_reader.h"
#include "autograd/check.h"

namespace glossa::serve {

namespace {

using Clock = std::chrono::steady_clock;

/// Interval for checking deadlines and the stop request.
constexpr int tick_ms = 50;

/// Maximum new connections accepted before the others get a turn.
constexpr int accepted_at_once = 64;

/// Time limits when the server ends: for answering the current requests, and for a client to read its answer.
constexpr std::chrono::milliseconds last_answers(2000), last_words(500);

/// Maximum bytes of requests and answers, over all connections and threads. If there are more, the connection with the
/// most yields. Requests and answers of up to `always_fits` bytes are never refused.
constexpr std::size_t max_held = std::size_t{256} << 20, always_fits = 16384;

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

  void serve(const Hooks& hooks, const std::function<bool()>& stops);
  std::size_t open() const { return open_; }

 private:
  /// A connection: its requests come one after another, and the next is read once the previous one is answered.
  struct Connection {
    enum class State {
      idle,       // no byte of a request has come
      reading,    // some bytes have arrived
      asking,     // the request is being answered
      writing,    // the answer is being sent
      lingering,  // the last answer is sent; further input is discarded, so that the client gets to read the answer
    };

    Connection(Descriptor descriptor, std::string address, std::size_t max_body, MemoryShare empty)
        : socket(std::move(descriptor)), client(std::move(address)), reader(max_body), share(std::move(empty)) {}
    ~Connection() { *has_left = true; }

    Descriptor socket;
    const std::string client;         // its address
    std::size_t* siblings = nullptr;  // number of the client's connections
    const std::shared_ptr<std::atomic<bool>> has_left = std::make_shared<std::atomic<bool>>(false);
    RequestReader reader;
    State state = State::idle;
    Clock::time_point since{}, expires{};
    std::string unread;      // input after the current request
    std::string head, body;  // of the answer, to write from byte `written` on
    std::size_t written = 0;
    MemoryShare share;  // memory of the incoming request, or of the answer's body
    bool keeps = true, is_head = false;
    bool sends_no_more = false, is_probed = false;
  };
  using State = Connection::State;

  struct Answered {
    std::uint64_t connection;
    Reply reply;
  };

  void accept_some();
  bool make_room();
  void watch(std::uint64_t number, const Connection& connection, int operation);
  void enter(std::uint64_t number, Connection& connection, State state);
  bool hold(Connection& connection, std::size_t bytes);
  void close(std::uint64_t number);
  void on_ready(std::uint64_t number, std::uint32_t events);
  void read(std::uint64_t number, Connection& connection);
  void use(std::uint64_t number, Connection& connection, std::string_view bytes);
  void ask(std::uint64_t number, Connection& connection);
  void reply(std::uint64_t number, Connection& connection, Reply reply);
  void write(std::uint64_t number, Connection& connection);
  void on_answers();
  void on_tick();
  static void probe(Connection& connection);
  void begin_to_end();

  /// Numbers of `listener_` and `wake_` in epoll's set; connections have larger ones.
  static constexpr std::uint64_t listener_number = 0, wake_number = 1;

  Listener listener_;
  Limits limits_;
  Hooks hooks_;  // set while serving
  Descriptor epoll_, wake_;
  std::unordered_map<std::string, std::size_t> clients_;  // number of connections by address
  std::unordered_map<std::uint64_t, Connection> connections_;
  std::uint64_t last_number_ = wake_number;
  std::shared_ptr<MemoryShare::Sum> held_ = std::make_shared<MemoryShare::Sum>(0);
  bool ends_ = false;
  Clock::time_point gives_up_{};  // once the server ends: when unanswered requests are given up
  std::vector<char> buffer_ = std::vector<char>(65536);
  std::atomic<std::size_t> open_ = 0;

  std::mutex answering_;
  std::vector<Answered> answers_;  // from other threads
  std::weak_ptr<Loop> self_;
  friend class Connections;
};

Connections::Loop::Loop(Listener listener, const Limits& limits)
    : listener_(std::move(listener)),
      limits_(limits),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  limits_.connections = std::min(limits_.connections, connections_allowed());
  for (const auto& [descriptor, number] :
       {std::pair{listener_.socket.number(), listener_number}, {wake_.number(), wake_number}}) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = number}};
    const bool is_watched = epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, descriptor, &event) == 0;
    check(is_watched, "serve", "cannot wait for connections: {}", std::strerror(errno));
  }
}

void Connections::Loop::serve(const Hooks& hooks, const std::function<bool()>& stops) {
  hooks_ = hooks;
  std::array<epoll_event, 256> events;
  for (Clock::time_point ticked = Clock::now(); !ends_ || !connections_.empty();) {
    const int count = epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()), tick_ms);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t number = events[i].data.u64;
      try {
        if (number == listener_number)
          accept_some();
        else if (number == wake_number)
          on_answers();
        else
          on_ready(number, events[i].events);
      } catch (const std::bad_alloc&) {  // gives up this connection or, if it is gone, another
        if (connections_.contains(number))
          close(number);
        else
          make_room();
      }
    }
    if (const Clock::time_point now = Clock::now(); now - ticked >= std::chrono::milliseconds(tick_ms)) {
      ticked = now;
      if (!ends_ && stops()) begin_to_end();
      on_tick();
    }
    open_ = connections_.size();
  }
}

void Connections::Loop::accept_some() {
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
    const int yes = 1;
    setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const std::uint64_t number = ++last_number_;
    char host[NI_MAXHOST] = "";
    getnameinfo(address, length, host, sizeof host, nullptr, 0, NI_NUMERICHOST);
    std::size_t& siblings = clients_[host];
    Connection& connection =
        connections_.try_emplace(number, std::move(socket), host, limits_.body, MemoryShare(held_)).first->second;
    connection.siblings = &++siblings;
    connection.since = Clock::now();
    connection.expires = connection.since + limits_.idle;
    watch(number, connection, EPOLL_CTL_ADD);
  }
}

/// Closes one of the connections that wait for their clients: the oldest of the client that has the most connections.
/// Returns false if no connection waits for its client.
bool Connections::Loop::make_room() {
  const auto to_close = [](const auto& each) {
    const Connection& connection = each.second;
    const bool waits = connection.state != State::asking && connection.state != State::writing;
    return std::tuple(waits, *connection.siblings, -connection.since.time_since_epoch());
  };
  const auto chosen = std::ranges::max_element(connections_, {}, to_close);
  if (chosen == connections_.end() || !std::get<0>(to_close(*chosen))) return false;
  close(chosen->first);
  return true;
}

void Connections::Loop::watch(std::uint64_t number, const Connection& connection, int operation) {
  const State state = connection.state;
  epoll_event event{.events = state == State::asking    ? (connection.sends_no_more ? 0U : EPOLLRDHUP)
                              : state == State::writing ? EPOLLOUT
                                                        : EPOLLIN,
                    .data = {.u64 = number}};
  epoll_ctl(epoll_.number(), operation, connection.socket.number(), &event);
}

void Connections::Loop::enter(std::uint64_t number, Connection& connection, State state) {
  connection.state = state;
  watch(number, connection, EPOLL_CTL_MOD);
}

/// Sets a connection's share of the common memory. If too much is held, the connections that hold the most yield: their
/// requests are refused, and answers that their clients do not read are given up. Returns false if this connection
/// should yield.
bool Connections::Loop::hold(Connection& connection, std::size_t bytes) {
  connection.share.set(bytes);
  while (bytes > always_fits && *held_ > std::max(max_held, 2 * limits_.body)) {
    const auto largest = std::ranges::max_element(
        connections_, {}, [](const auto& each) { return each.second.share.bytes(); });  // 0 while being answered
    if (largest->second.share.bytes() <= bytes) return false;
    if (largest->second.state == State::writing)
      close(largest->first);
    else
      reply(largest->first, largest->second, busy_reply());
  }
  return true;
}

void Connections::Loop::close(std::uint64_t number) {
  const auto found = connections_.find(number);
  if (--*found->second.siblings == 0) clients_.erase(found->second.client);
  connections_.erase(found);
}

void Connections::Loop::on_ready(std::uint64_t number, std::uint32_t events) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
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
  const ssize_t count = recv(connection.socket.number(), buffer_.data(), buffer_.size(), 0);
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

/// Takes bytes of the current request and perhaps of later ones.
void Connections::Loop::use(std::uint64_t number, Connection& connection, std::string_view bytes) {
  RequestReader& reader = connection.reader;
  try {
    bytes.remove_prefix(reader.feed(bytes));
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
    if (!reader.is_complete()) return;
    connection.unread = bytes;
    ask(number, connection);
  } catch (const HttpError& error) {
    reply(number, connection, final_error(error.status(), error.what()));
  }
}

void Connections::Loop::ask(std::uint64_t number, Connection& connection) {
  connection.keeps = connection.reader.keeps_connection() && !ends_;
  connection.is_probed = connection.reader.is_http_1_0();
  Incoming incoming{connection.reader.take(),
                    {connection.client, connection.expires, connection.has_left},
                    std::move(connection.share)};
  connection.is_head = incoming.request.method == "HEAD";
  enter(number, connection, State::asking);
  hooks_.ask(std::move(incoming), [loop = self_, number](Reply reply) {
    const std::shared_ptr<Loop> self = loop.lock();
    if (!self) return;
    const std::scoped_lock lock(self->answering_);
    self->answers_.push_back({number, std::move(reply)});
    const std::uint64_t one = 1;
    static_cast<void>(::write(self->wake_.number(), &one, sizeof one));
  });
}

void Connections::Loop::on_answers() {
  std::uint64_t ignored = 0;
  static_cast<void>(::read(wake_.number(), &ignored, sizeof ignored));
  std::vector<Answered> answers;
  {
    const std::scoped_lock lock(answering_);
    answers.swap(answers_);
  }
  for (Answered& answer : answers) {
    const auto found = connections_.find(answer.connection);
    if (found == connections_.end() || found->second.state != State::asking) continue;  // gone, or given up
    reply(answer.connection, found->second, std::move(answer.reply));
  }
}

/// Begins to write an answer. If the request was not read to its end, the answer must be the connection's last.
void Connections::Loop::reply(std::uint64_t number, Connection& connection, Reply reply) {
  if (!hold(connection, reply.body.size())) {
    reply = busy_reply();
    hold(connection, reply.body.size());
  }
  if (connection.state != State::asking) {  // frees the part of a refused request that was read
    replace(connection.reader, RequestReader(limits_.body));
    replace(connection.unread, {});
  }
  const Clock::time_point now = Clock::now();
  hooks_.answered(reply.status, std::chrono::duration<double>(now - connection.since).count());
  connection.keeps = connection.keeps && !reply.is_last && !ends_;
  const auto idle = std::chrono::duration_cast<std::chrono::seconds>(limits_.idle);
  connection.head = head_of(reply, connection.keeps ? std::optional(idle) : std::nullopt);
  replace(connection.body, std::exchange(connection.is_head, false) ? std::string() : std::move(reply.body));
  connection.written = 0;
  connection.expires = now + limits_.request;
  connection.state = State::writing;
  write(number, connection);
}

void Connections::Loop::write(std::uint64_t number, Connection& connection) {
  const std::string &head = connection.head, &body = connection.body;
  while (connection.written < head.size() + body.size()) {
    const bool is_in_head = connection.written < head.size();
    const std::string_view rest = is_in_head ? std::string_view(head).substr(connection.written)
                                             : std::string_view(body).substr(connection.written - head.size());
    const int more = is_in_head && !body.empty() ? MSG_MORE : 0;  // one packet for both, if it has room
    const ssize_t count = send(connection.socket.number(), rest.data(), rest.size(), MSG_NOSIGNAL | more);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return watch(number, connection, EPOLL_CTL_MOD);
    if (count < 0) return close(number);
    connection.written += static_cast<std::size_t>(count);
  }
  replace(connection.head, {});
  replace(connection.body, {});
  connection.share.set(0);
  if (!connection.keeps || ends_) {
    shutdown(connection.socket.number(), SHUT_WR);
    connection.since = Clock::now();
    if (ends_) connection.expires = connection.since + last_words;
    return enter(number, connection, State::lingering);
  }
  connection.since = Clock::now();
  connection.expires = connection.since + limits_.idle;
  enter(number, connection, State::idle);
  if (!connection.unread.empty()) use(number, connection, std::exchange(connection.unread, {}));
}

/// Finds out if a client has left or only closed its sending side. Sends an interim response, which HTTP/1.1 allows at
/// any time; if the client has left, its system then resets the connection.
void Connections::Loop::probe(Connection& connection) {
  constexpr std::string_view still_here = "HTTP/1.1 100 Continue\r\n\r\n";
  send(connection.socket.number(), still_here.data(), still_here.size(), MSG_NOSIGNAL);
  connection.is_probed = true;
}

void Connections::Loop::on_tick() {
  const Clock::time_point now = Clock::now();
  if (ends_ && now >= gives_up_ + last_words) return connections_.clear();
  for (auto& [number, connection] : connections_)
    if (connection.state == State::asking && connection.sends_no_more && !connection.is_probed) probe(connection);
  std::vector<std::uint64_t> late, over;
  for (const auto& [number, connection] : connections_) {
    if (connection.state == State::asking || connection.expires > now) continue;  // being answered, or in time
    (connection.state == State::reading ? late : over).push_back(number);
  }
  if (ends_ && now >= gives_up_) {
    std::vector<std::uint64_t> unanswered;
    for (const auto& [number, connection] : connections_)
      if (connection.state == State::asking) unanswered.push_back(number);
    for (const std::uint64_t number : unanswered)
      reply(number, connections_.at(number), final_error(503, "the server is shutting down"));
  }
  for (const std::uint64_t number : over) close(number);
  for (const std::uint64_t number : late)
    reply(number, connections_.at(number), final_error(408, "expected a complete request in time; it came too slowly"));
}

void Connections::Loop::begin_to_end() {
  ends_ = true;
  gives_up_ = Clock::now() + last_answers;
  listener_.socket = Descriptor();
  const Clock::time_point soon = Clock::now() + last_words;
  std::vector<std::uint64_t> idle, reading;
  for (auto& [number, connection] : connections_) {
    if (connection.state == State::idle) idle.push_back(number);
    if (connection.state == State::reading) reading.push_back(number);
    if (connection.state == State::lingering) connection.expires = std::min(connection.expires, soon);
  }
  for (const std::uint64_t number : idle) close(number);
  for (const std::uint64_t number : reading)
    reply(number, connections_.at(number), final_error(503, "the server is shutting down"));
}

Connections::Connections(Listener listener, const Limits& limits)
    : loop_(std::make_shared<Loop>(std::move(listener), limits)) {
  loop_->self_ = loop_;
}

Connections::~Connections() = default;

void Connections::serve(const Hooks& hooks, const std::function<bool()>& stops) { loop_->serve(hooks, stops); }

const std::string& Connections::url() const { return loop_->listener_.url; }

std::size_t Connections::open() const { return loop_->open(); }

}  // namespace glossa::serve
