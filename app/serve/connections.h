#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "app/serve/listener.h"

namespace glossa::serve {

/// A whole request, as `RequestReader` hands it on, and what must be known to answer it.
struct Incoming {
  std::string request;
  std::chrono::steady_clock::time_point deadline;
  bool keeps_connection;
};

/// What goes back to the client.
struct Reply {
  int status;
  std::string bytes;
  bool is_last;  ///< of the connection
};

/// An answer in JSON that is an error, and the last of its connection.
Reply error_reply(int status, const std::string& text);

/// The connections of a server, all in the hands of one thread that waits for none of them: bytes are gathered until a
/// request is whole, and answers go out as fast as the other side takes them. So a thousand idle connections, or slow
/// ones, cost memory and keep nobody from being served. (The HTTP library would give each a thread.)
class Connections {
 public:
  struct Limits {
    std::size_t connections;  ///< open at once; for one more, that which has said nothing for longest is closed
    std::size_t body;         ///< bytes
    std::chrono::steady_clock::duration request;  ///< for a request from its first byte, and for taking the answer
    std::chrono::steady_clock::duration idle;     ///< for the next request to begin
  };

  /// Takes the answer of a request, from any thread.
  using Answer = std::function<void(Reply)>;

  struct Hooks {
    /// Has a request answered, soon and by another thread. Throws HttpError where it cannot.
    std::function<void(Incoming, Answer)> ask;

    /// Is told the status of each answer, and how many seconds after the first byte of the request it came.
    std::function<void(int status, double seconds)> answered;
  };

  Connections(Listener listener, const Limits& limits);
  ~Connections();

  /// Serves until `stops()`, which is asked several times a second. Then no connection is taken any more, requests that
  /// are not whole get status 503, and it returns when all others have been answered.
  void serve(const Hooks& hooks, const std::function<bool()>& stops);

  /// http://HOST:PORT
  const std::string& url() const;

  /// How many are open; for any thread.
  std::size_t open() const;

 private:
  class Loop;
  std::shared_ptr<Loop> loop_;
};

}  // namespace glossa::serve
