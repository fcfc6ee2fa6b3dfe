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
  std::string content_type = {};  ///< empty only without a body
  std::string body = {};
  std::map<std::string, std::string> headers = {};  ///< values of further headers, by name
  bool is_last = false;                             ///< true: the connection ends after this reply
  std::string_view constant = {};                   ///< if not empty: all bytes of the answer, instead of the above
};

/// Returns a JSON error. With status 503 it also asks the client to try again after a second.
Reply error_reply(int status, std::string_view text);

/// Returns an error that is the last reply of its connection.
Reply final_error(int status, std::string_view text);

/// Returns the reply to a request for which there is no room. The connection closes after it.
Reply busy_reply();

/// Returns the reply to a request that was not answered in time, the last of its connection.
Reply late_reply();

/// Returns the reply to a request for which memory ran out, the last of its connection. Making and sending it needs no
/// memory.
Reply no_memory_reply() noexcept;

/// Returns the bytes of a reply that precede its body: the status line, the headers and an empty line. `idle` is how
/// long the connection then waits for its next request; nothing if the connection ends.
std::string head_of(const Reply& reply, std::optional<std::chrono::seconds> idle);

}  // namespace glossa::serve
