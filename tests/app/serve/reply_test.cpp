#include "app/serve/reply.h"

#include <doctest/doctest.h>

using namespace glossa::serve;

TEST_CASE("a reply's head has its status, its headers by name, and the length of its body") {
  const Reply reply{.content_type = "text/plain", .body = "hello", .headers = {{"X-A", "b"}, {"Allow", "GET, HEAD"}}};
  CHECK_EQ(head_of(reply, std::chrono::seconds(60)),
           "HTTP/1.1 200 OK\r\nAllow: GET, HEAD\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n"
           "Keep-Alive: timeout=60, max=1000000\r\nX-A: b\r\n\r\n");
  CHECK_EQ(head_of(Reply{}, {}), "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

TEST_CASE("a reply whose status excludes a body has no length") {
  CHECK_EQ(head_of({.status = 204}, {}), "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
  CHECK_EQ(head_of({.status = 100}, {}).find("Content-Length"), std::string::npos);
}

TEST_CASE("an error is JSON, and a busy server asks the client to try again") {
  const Reply error = error_reply(405, "a \"b\"");
  CHECK_EQ(error.status, 405);
  CHECK_EQ(error.content_type, "application/json");
  CHECK_EQ(error.body, R"({"error":"a \"b\""})");
  CHECK(error.headers.empty());
  CHECK_FALSE(error.is_last);
  CHECK(final_error(400, "").is_last);
  CHECK(final_error(400, "").headers.empty());
  const Reply busy = busy_reply();
  CHECK_EQ(busy.status, 503);
  CHECK_EQ(busy.headers.at("Retry-After"), "1");
  CHECK(busy.is_last);
  CHECK_EQ(error_reply(503, "").headers, busy.headers);
}

TEST_CASE("each status of the server has its reason in the status line") {
  for (const int status : {200, 204, 400, 403, 404, 405, 408, 413, 414, 415, 421, 431, 501, 503})
    CHECK_EQ(head_of({.status = status}, {}).find("Internal Server Error"), std::string::npos);
  CHECK(head_of({.status = 500}, {}).starts_with("HTTP/1.1 500 Internal Server Error\r\n"));
}

TEST_CASE("the reply without memory is a whole answer of the usual form") {
  const Reply reply = no_memory_reply();
  CHECK_EQ(reply.status, 500);
  CHECK(reply.is_last);
  const Reply usual = error_reply(500, "the server is out of memory. Hint: try again with less text");
  CHECK_EQ(reply.constant, head_of(usual, {}) + usual.body);
}
