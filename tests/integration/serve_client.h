#pragma once

#include <string>

#include "tests/integration/tiny_run.h"

namespace glossa::testing {

/// `glossa serve` on a free port; `stop` ends it.
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

/// An HTTP answer; status 0 means that there was no answer.
struct Answer {
  int status = 0;
  std::string head, body;
};

/// A byte-level connection to a port of this machine, so that tests can send what ordinary clients would not.
class Connection {
 public:
  /// `client`: the address that it comes from.
  explicit Connection(int port, const char* client = "127.0.0.1");
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Sends all bytes; returns false if the other side stops accepting them.
  bool send(std::string_view bytes);

  /// Shuts down the sending side.
  void end();

  /// The next response, within 30 s.
  Answer response();

  /// The next response that is not an interim one.
  Answer answer();

  /// True if the other side closes the connection within the given time.
  bool is_closed_within(int milliseconds);

 private:
  bool read_some(int milliseconds);

  int socket_;
  std::string unread_;
};

/// A POST request, with its head.
std::string post(const std::string& path, const std::string& body, const std::string& type = "application/json",
                 const std::string& headers = "");

/// Sends a request on a new connection and returns the answer.
Answer ask(int port, const std::string& request, const char* client = "127.0.0.1");
Answer get(int port, const std::string& path);

/// A JSON request to translate from English to Hindi; `more` begins with a comma.
std::string translation(const std::string& text, const std::string& more = "");

}  // namespace glossa::testing
