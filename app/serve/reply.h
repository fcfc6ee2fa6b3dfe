#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace glossa::serve {

/// An answer to a request.
struct Reply {
  int status = 200;
  std::string content_type = {};  ///< may be empty only if there is no body
  std::string body = {};
  std::map<std::string, std::string> headers = {};  ///< values of additional headers, by name
  bool is_last = false;                             ///< true: the connection ends after this reply
  std::string_view constant = {};                   ///< if not empty, the complete answer; replaces other members
};

/// Returns a JSON error. With status 503, it also asks the client to try again after a second.
Reply error_reply(int status, std::string_view text);

/// Returns an error reply after which the connection closes.
Reply final_error(int status, std::string_view text);

/// Returns the reply to a request for which there is no room. The connection closes after it.
Reply busy_reply();

/// Returns the reply to a request that was not answered in time. The connection closes after it.
Reply late_reply();

/// Returns the reply to a request for which memory ran out. The connection closes after it. Making and sending it needs
/// no memory.
Reply no_memory_reply() noexcept;

/// Returns the bytes of a reply that precede its body: the status line, the headers and an empty line. `idle` is how
/// long the connection then waits for its next request; empty if the connection ends.
std::string head_of(const Reply& reply, std::optional<std::chrono::seconds> idle);

}  // namespace glossa::serve
