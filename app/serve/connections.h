#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "app/serve/answer.h"
#include "app/serve/caller.h"
#include "app/serve/http_request.h"
#include "app/serve/listener.h"
#include "app/serve/memory_share.h"
#include "app/serve/reply.h"

namespace glossa::serve {

/// A request, with the information needed to answer it.
struct Incoming {
  HttpRequest request;
  Caller caller;
  MemoryShare share;  ///< the request's part of the memory for requests and answers
  Answer answer;
};

/// The server's connections. One thread handles them all and never blocks: it gathers bytes until a request is
/// complete, and sends answers as fast as clients read them. So a thousand idle or slow connections cost memory but
/// delay nobody. Memory that runs out ends at most the connection that needed it.
class Connections {
 public:
  struct Limits {
    /// Maximum number of connections. When another one comes, the client with the most connections loses one that waits
    /// for this client.
    std::size_t connections;
    /// Maximum bytes of a request's body.
    std::size_t body;
    /// Maximum time from a request's first byte to the answer. Sending the answer may take the same time again.
    std::chrono::steady_clock::duration request;
    /// Maximum time until a connection's next request begins.
    std::chrono::steady_clock::duration idle;
  };

  struct Hooks {
    /// Arranges for a request to be answered.
    std::function<void(Incoming)> ask;

    /// Called with each answer's status, and with the seconds from the request's first byte to the answer. Must not
    /// throw.
    std::function<void(int status, double seconds)> answered;
  };

  Connections(Listener listener, const Limits& limits);
  ~Connections();

  /// Serves until `stops()` returns true; calls it several times a second. Then accepts no more connections and answers
  /// incomplete requests with status 503. Complete requests still get their usual answers within 2 s, and status 503
  /// after that. Returns once all connections are closed, at most 2.5 s after the stop.
  void serve(Hooks hooks, const std::function<bool()>& stops);

  /// http://HOST:PORT
  const std::string& url() const;

  /// Number of open connections; callable by any thread.
  std::size_t open() const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace glossa::serve
