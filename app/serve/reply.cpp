#include "app/serve/reply.h"

#include <fmt/core.h>

#include <iterator>

#include "app/serve/messages.h"

namespace glossa::serve {

namespace {

const char* reason(int status) {
  static const std::map<int, const char*> reasons{{200, "OK"},
                                                  {204, "No Content"},
                                                  {400, "Bad Request"},
                                                  {403, "Forbidden"},
                                                  {404, "Not Found"},
                                                  {405, "Method Not Allowed"},
                                                  {408, "Request Timeout"},
                                                  {413, "Content Too Large"},
                                                  {414, "URI Too Long"},
                                                  {415, "Unsupported Media Type"},
                                                  {421, "Misdirected Request"},
                                                  {431, "Request Header Fields Too Large"},
                                                  {501, "Not Implemented"},
                                                  {503, "Service Unavailable"}};
  const auto found = reasons.find(status);
  return found == reasons.end() ? "Internal Server Error" : found->second;
}

}  // namespace

Reply error_reply(int status, std::string_view text) {
  Reply reply{.status = status, .content_type = json_type, .body = error_answer(text)};
  if (status == 503) reply.headers["Retry-After"] = "1";
  return reply;
}

Reply final_error(int status, std::string_view text) {
  Reply reply = error_reply(status, text);
  reply.is_last = true;
  return reply;
}

Reply busy_reply() { return final_error(503, "too many requests are waiting. Hint: try again in a moment"); }

Reply late_reply() { return final_error(503, "the answer was not ready in time"); }

Reply no_memory_reply() noexcept {
  Reply reply;
  reply.status = 500;
  reply.is_last = true;
  reply.constant =
      "HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\nContent-Length: 71\r\n"
      "Content-Type: application/json\r\n\r\n"
      R"({"error":"the server is out of memory. Hint: try again with less text"})";
  return reply;
}

std::string head_of(const Reply& reply, std::optional<std::chrono::seconds> idle) {
  std::map<std::string, std::string> headers = reply.headers;
  const bool may_have_body = reply.status >= 200 && reply.status != 204;  // others have no Content-Length (RFC 9110)
  if (may_have_body) headers["Content-Length"] = fmt::format("{}", reply.body.size());
  if (!reply.content_type.empty()) headers["Content-Type"] = reply.content_type;
  // The maximum number of requests is only for clients that expect one; the server does not count requests.
  if (idle)
    headers["Keep-Alive"] = fmt::format("timeout={}, max=1000000", idle->count());
  else
    headers["Connection"] = "close";
  std::string head = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, reason(reply.status));
  for (const auto& [name, value] : headers) fmt::format_to(std::back_inserter(head), "{}: {}\r\n", name, value);
  return head + "\r\n";
}

}  // namespace glossa::serve
