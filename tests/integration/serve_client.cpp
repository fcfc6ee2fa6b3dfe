#include "tests/integration/serve_client.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <regex>
#include <thread>

#include "base/json_line.h"

namespace glossa::testing {

namespace {

constexpr int patience_ms = 30000;

Launch launch(Strings arguments) {
  arguments.insert(arguments.begin(), {tested_program(), "serve", "--port", "0"});
  return {.arguments = std::move(arguments), .input = {}, .folder = {}};
}

}  // namespace

Served::Served(const Strings& arguments) : program_(launch(arguments)) {
  static const std::regex address(R"(listening on http://[^:]*:(\d+)\n)");
  for (std::smatch match; program_.running(); std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    const std::string output = program_.printed();
    if (!std::regex_match(output, match, address)) continue;
    port_ = std::stoi(match[1]);
    return;
  }
  FAIL(program_.wait().err);
}

Outcome Served::stop() {
  program_.signal(SIGTERM);
  return program_.wait();
}

Connection::Connection(int port, const char* client) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  REQUIRE_EQ(inet_pton(AF_INET, client, &address.sin_addr), 1);
  REQUIRE_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{.tv_sec = patience_ms / 1000, .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  REQUIRE_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
}

Connection::~Connection() { close(socket_); }

bool Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void Connection::end() { shutdown(socket_, SHUT_WR); }

bool Connection::read_some(int milliseconds) {
  pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
  if (poll(&ready, 1, milliseconds) <= 0) return false;
  char buffer[65536];
  const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
  if (count > 0) unread_.append(buffer, static_cast<std::size_t>(count));
  return count > 0;
}

Answer Connection::answer() {
  Answer answer;
  do answer = response();
  while (answer.status == 100);
  return answer;
}

Answer Connection::response() {
  std::size_t head = 0;
  while ((head = unread_.find("\r\n\r\n")) == unread_.npos)
    if (!read_some(patience_ms)) return {};
  Answer answer;
  answer.head = unread_.substr(0, head + 2);
  unread_.erase(0, head + 4);
  answer.status = std::stoi(answer.head.substr(answer.head.find(' ')));
  static const std::regex length("Content-Length: (\\d+)\r\n");
  std::smatch match;
  if (!std::regex_search(answer.head, match, length)) return answer;
  const std::size_t size = std::stoul(match[1]);
  while (unread_.size() < size)
    if (!read_some(patience_ms)) return {};
  answer.body = unread_.substr(0, size);
  unread_.erase(0, size);
  return answer;
}

bool Connection::is_closed_within(int milliseconds) {
  pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
  return poll(&ready, 1, milliseconds) > 0 && !read_some(0);
}

std::string post(const std::string& path, const std::string& body, const std::string& type,
                 const std::string& headers) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body;
}

Answer ask(int port, const std::string& request, const char* client) {
  Connection connection(port, client);
  connection.send(request);
  return connection.answer();
}

Answer get(int port, const std::string& path) {
  return ask(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
}

std::string translation(const std::string& text, const std::string& more) {
  std::string object = JsonLine().add("q", text).add("source", "en").add("target", "hi").text();
  object.insert(object.size() - 1, more);
  return object;
}

}  // namespace glossa::testing
