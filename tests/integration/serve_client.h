#pragma once

#include <string>

#include "tests/integration/tiny_run.h"

namespace glossa::testing {

/// `glossa serve` of runs at a free port, and what it takes to end it.
class Served {
 public:
  /// Waits until it listens.
  explicit Served(const Strings& arguments);

  int port() const { return port_; }
  Program& program() { return program_; }
  Outcome stop();

 private:
  Program program_;
  int port_ = 0;
};

/// An answer of HTTP; status 0 where there is none.
struct Answer {
  int status = 0;
  std::string head, body;
};

/// A connection to a port of this machine, by bytes: tests send what no client would.
class Connection {
 public:
  explicit Connection(int port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Sends what the other side takes; false once it takes no more.
  bool send(std::string_view bytes);

  /// Says that nothing more will come.
  void end();

  /// The next answer, within 30 s.
  Answer answer();

  /// Whether the other side closes the connection within a time.
  bool is_closed_within(int milliseconds);

 private:
  bool read_some(int milliseconds);

  int socket_;
  std::string unread_;
};

/// A request with its head.
std::string post(const std::string& path, const std::string& body, const std::string& type = "application/json",
                 const std::string& headers = "");

/// What a new connection gets for a request.
Answer ask(int port, const std::string& request);
Answer get(int port, const std::string& path);

/// JSON of a request for a translation from English to Hindi; `more` begins with a comma.
std::string translation(const std::string& text, const std::string& more = "");

}  // namespace glossa::testing
