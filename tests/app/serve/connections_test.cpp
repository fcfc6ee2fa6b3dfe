// Connections without a service behind them.
#include "app/serve/connections.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "base/descriptor.h"

using namespace glossa::serve;
using namespace std::chrono_literals;

namespace {

/// Connections in a thread of their own, with an `ask` of the test's.
class Server {
 public:
  Server(Connections::Limits limits, std::function<void(Incoming)> ask)
      : connections_(listen_at("127.0.0.1", 0), limits), thread_([this, ask = std::move(ask)] {
          connections_.serve({.ask = ask, .answered = [](int, double) {}}, [this] { return ends_.load(); });
        }) {}
  ~Server() {
    ends_ = true;
    thread_.join();
  }

  const Connections& connections() const { return connections_; }
  int port() const { return std::stoi(connections_.url().substr(connections_.url().rfind(':') + 1)); }

 private:
  Connections connections_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

/// A client's connection from an address of this machine.
class Client {
 public:
  explicit Client(const Server& server, const char* from = "127.0.0.1") : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    const int small = 2048;
    setsockopt(socket_.number(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    inet_pton(AF_INET, from, &address.sin_addr);
    REQUIRE_EQ(bind(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    address.sin_port = htons(static_cast<std::uint16_t>(server.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE_EQ(connect(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }

  void send(const std::string& bytes) const {
    CHECK_EQ(::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
  }

  /// Everything until the connection ends or nothing comes for 10 s.
  std::string received() const {
    std::string all;
    pollfd ready{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    while (poll(&ready, 1, 10'000) == 1) {
      char buffer[4096];
      const ssize_t count = recv(socket_.number(), buffer, sizeof buffer, 0);
      if (count <= 0) break;
      all.append(buffer, static_cast<std::size_t>(count));
    }
    return all;
  }

 private:
  glossa::Descriptor socket_;
};

std::string request(const std::string& method, const std::string& path = "/") {
  return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

constexpr Connections::Limits usual{.connections = 100, .body = 1000, .request = 30s, .idle = 30s};

}  // namespace

TEST_CASE("if memory runs out for a request, its client gets the reply without memory, and the next one is served") {
  const Server server(usual, [](Incoming incoming) {
    const std::string path = incoming.request.path;
    if (path == "/throws") throw std::bad_alloc();
    if (path == "/lost") return;  // destroys the answer
    incoming.answer.send({.status = 204, .is_last = true});
  });
  const std::string answer(no_memory_reply().constant);
  for (const char* path : {"/throws", "/lost"}) {
    const Client client(server), head(server), next(server);
    client.send(request("GET", path));
    CHECK_EQ(client.received(), answer);
    head.send(request("HEAD", path));
    CHECK_EQ(head.received(), answer.substr(0, answer.find("\r\n\r\n") + 4));
    next.send(request("GET", "/"));
    CHECK(next.received().starts_with("HTTP/1.1 204 "));
  }
}

TEST_CASE("a request whose answer never comes is refused after its deadline") {
  std::vector<Answer> kept;
  const Server server({.connections = 100, .body = 1000, .request = 10ms, .idle = 30s},
                      [&](Incoming incoming) { kept.push_back(std::move(incoming.answer)); });
  const Client client(server);
  client.send(request("GET"));
  CHECK_NE(client.received().find("not ready in time"), std::string::npos);
}

TEST_CASE("requests that a client sends at once are answered one after another") {
  std::atomic<int> asked = 0;
  const Server server(usual, [&](Incoming incoming) {
    incoming.answer.send({.body = incoming.request.path, .is_last = ++asked == 3});
  });
  const Client client(server);
  client.send(request("GET", "/1") + request("GET", "/2") + request("GET", "/3") + request("GET", "/4"));
  const std::string received = client.received();
  std::size_t at = 0;
  for (const char* body : {"\r\n\r\n/1HTTP", "\r\n\r\n/2HTTP", "\r\n\r\n/3"}) {
    at = received.find(body, at);
    CHECK_NE(at, std::string::npos);
  }
  CHECK_EQ(asked, 3);
}

TEST_CASE("a client that takes no answer yields its connections to other clients") {
  const std::string large(200'000, 'a');
  const Server server({.connections = 20, .body = 1000, .request = 60s, .idle = 60s}, [&](Incoming incoming) {
    incoming.answer.send({.body = incoming.request.path == "/large" ? large : "small", .is_last = true});
  });
  std::vector<Client> deaf;
  for (int i = 0; i < 20; ++i) {
    deaf.emplace_back(server, "127.0.0.2");
    for (int k = 0; k < 50; ++k) deaf.back().send(request("GET", "/large"));
  }
  for (int i = 0; i < 20; ++i) {
    const Client other(server);
    other.send(request("GET"));
    CHECK(other.received().ends_with("small"));
  }
  CHECK_LE(server.connections().open(), 20);
}

TEST_CASE("at the end of the server idle connections close, and an incomplete request is refused") {
  auto server = std::make_unique<Server>(usual, [](Incoming incoming) { incoming.answer.send({.body = "x"}); });
  const Client idle(*server), incomplete(*server), answered(*server);
  incomplete.send("GET / HTT");
  answered.send(request("GET"));
  while (server->connections().open() < 3) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(100ms);
  std::thread ending([&] { server.reset(); });
  CHECK_EQ(idle.received(), "");
  CHECK_NE(incomplete.received().find("shutting down"), std::string::npos);
  CHECK(answered.received().ends_with("x"));
  ending.join();
}
