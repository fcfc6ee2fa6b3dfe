#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "app/serve/caller.h"
#include "app/serve/listener.h"
#include "app/serve/memory_share.h"
#include "app/serve/request_reader.h"

namespace glossa::serve {

/// A request, with the information needed to answer it.
struct Incoming {
  HttpRequest request;
  Caller caller;
  bool keeps_connection;
  MemoryShare share;  ///< the request's part of the memory for requests and answers
};

/// The answer to the client.
struct Reply {
  int status;
  std::string bytes;
  bool is_last;  ///< true: the connection ends after this answer
};

/// A JSON error answer, the last of its connection.
Reply error_reply(int status, const std::string& text);

/// The answer to a request for which there is no room.
Reply busy_reply();

/// The server's connections, all handled by one thread that never blocks on any: bytes are gathered until a request is
/// complete, and answers go out as fast as clients take them. So a thousand idle or slow connections cost memory but
/// delay nobody. (The HTTP library would give each a thread.)
class Connections {
 public:
  struct Limits {
    std::size_t connections;                      ///< maximum; at one more, the client with most loses one
    std::size_t body;                             ///< maximum bytes of a request's body
    std::chrono::steady_clock::duration request;  ///< maximum from first byte to answer, and again to send that
    std::chrono::steady_clock::duration idle;     ///< maximum time until the next request begins
  };

  /// Accepts the answer to a request; callable by any thread.
  using Answer = std::function<void(Reply)>;

  struct Hooks {
    /// Arranges for a request to be answered. A call of `Answer` takes effect only after `ask` returns.
    std::function<void(Incoming, Answer)> ask;

    /// Receives each answer's status, and its time in seconds after the request's first byte.
    std::function<void(int status, double seconds)> answered;
  };

  Connections(Listener listener, const Limits& limits);
  ~Connections();

  /// Serves until `stops()`, polled several times a second, returns true. Then accepts no more connections and answers
  /// incomplete requests with status 503. Answers complete requests as usual for 2 s, then with status 503. Returns
  /// once all connections are closed, at most 2.5 s after the stop.
  void serve(const Hooks& hooks, const std::function<bool()>& stops);

  /// http://HOST:PORT
  const std::string& url() const;

  /// Number of open connections; callable by any thread.
  std::size_t open() const;

 private:
  class Loop;
  std::shared_ptr<Loop> loop_;
};

}  // namespace glossa::serve
