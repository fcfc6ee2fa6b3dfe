#include "app/serve/request_reader.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>
#include <vector>

#include "app/serve/http_error.h"
#include "autograd/random.h"

using namespace glossa;
using namespace glossa::serve;

namespace {

constexpr std::size_t max_body = 100;

/// The status with which `bytes` are refused, fed `piece` at a time; 0 if they are accepted.
int refusal(const std::string& bytes, std::size_t piece = 1) {
  RequestReader reader(max_body);
  try {
    for (std::size_t at = 0; at < bytes.size() && !reader.is_complete(); at += piece)
      reader.feed(std::string_view(bytes).substr(at, piece));
  } catch (const HttpError& error) {
    return error.status();
  }
  return 0;
}

std::string head_of(const std::string& headers) { return "POST /translate HTTP/1.1\r\n" + headers + "\r\n"; }

}  // namespace

TEST_CASE("a request comes out whole, however its bytes arrive, and those of the next are left") {
  const std::string sized = head_of("Host: a\r\ncontent-length:  5 \r\nX: y\r\n") + "hello";
  const std::string chunked = head_of("Transfer-Encoding: Chunked\r\nRange: bytes=0-1\r\n") +
                              "3;x=y\r\nhel\r\n02\r\nlo\r\n0\r\nTrailer: z\r\n\r\n";
  const std::string get = "GET / HTTP/1.1\nAccept-Encoding: gzip\n\n";
  for (const std::size_t piece : {1, 2, 7, 1000}) {
    CAPTURE(piece);
    RequestReader reader(max_body);
    std::vector<std::string> requests;
    const std::string all = sized + chunked + "\r\n" + get;
    for (std::size_t at = 0; at < all.size();) {
      at += reader.feed(std::string_view(all).substr(at, piece));
      if (reader.is_complete()) requests.push_back(reader.take());
    }
    CHECK_FALSE(reader.has_begun());
    REQUIRE_EQ(requests.size(), 3);
    CHECK_EQ(requests[0], "POST /translate HTTP/1.1\r\nHost: a\r\nX: y\r\nContent-Length: 5\r\n\r\nhello");
    CHECK_EQ(requests[1], "POST /translate HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello");
    CHECK_EQ(requests[2], "GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
  }
}

TEST_CASE("a target may name its host before the path, as a request to a proxy does") {
  for (const auto& [target, path] : {std::pair{"/languages?a=http://b/c", "/languages?a=http://b/c"},
                                     {"http://example.org:5000/languages?a=b", "/languages?a=b"},
                                     {"https://example.org/", "/"},
                                     {"http://example.org", "/"},
                                     {"*", "*"}}) {
    RequestReader reader(max_body);
    reader.feed(fmt::format("GET {} HTTP/1.1\r\n\r\n", target));
    CHECK_EQ(reader.take(), fmt::format("GET {} HTTP/1.1\r\nContent-Length: 0\r\n\r\n", path));
  }
}

TEST_CASE("a malformed request is refused with the status that says why") {
  for (const std::size_t piece : {1, 1000}) {
    CAPTURE(piece);
    CHECK_EQ(refusal(head_of("Content-Length: 100\r\n") + std::string(100, 'a'), piece), 0);
    CHECK_EQ(refusal(head_of("Content-Length: 101\r\n"), piece), 413);
    CHECK_EQ(refusal(head_of("Content-Length: 99999999999999999999999999\r\n"), piece), 413);
    CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\n") + "65\r\n", piece), 413);
    CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\n") + "ffffffffffffffffffffff\r\n", piece), 413);
    CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\n") + "40\r\n" + std::string(64, 'a') + "\r\n25\r\n", piece),
             413);
    CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\n") + "1\r\nab", piece), 0);  // the line has not ended
    CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\n") + "1\r\nab\r\n", piece), 400);
    for (const char* size : {"", "g", "-1", "+1", "0x1", "1 1", ";a"})
      CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\n") + size + "\r\n", piece), 400);
    for (const char* length : {"", "-1", "+1", "1a", "1, 1", "0x1"})
      CHECK_EQ(refusal(head_of(std::string("Content-Length: ") + length + "\r\n"), piece), 400);
    CHECK_EQ(refusal(head_of("Content-Length: 1\r\nContent-Length: 1\r\n"), piece), 400);
    CHECK_EQ(refusal(head_of("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"), piece), 400);
    CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n"), piece), 400);
    CHECK_EQ(refusal(head_of("Transfer-Encoding: gzip, chunked\r\n"), piece), 501);
    for (const char* encoding : {"gzip", "br", "deflate", "identity, gzip"})
      CHECK_EQ(refusal(head_of(std::string("content-encoding: ") + encoding + "\r\n"), piece), 415);
    CHECK_EQ(refusal(head_of("Content-Encoding: identity\r\n"), piece), 0);
    CHECK_EQ(refusal("GET /" + std::string(20000, 'a'), piece), 431);
    CHECK_EQ(refusal(head_of(std::string(20000, 'a')), piece), 431);
    CHECK_EQ(refusal(std::string(20000, '\n'), piece), 431);
    CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\n") + "0\r\n" + std::string(20000, 'a'), piece), 431);
    for (const char* line : {"GET\r\n", "GET /\r\n", "GET / HTTP/2.0\r\n", "GET  HTTP/1.1\r\n", "GET / / HTTP/1.1\r\n",
                             " GET / HTTP/1.1\r\n", "G:T / HTTP/1.1\r\n", "\x16\x03\x01\x02\r\n"})
      CHECK_EQ(refusal(line, piece), 400);
    for (const char* header : {"a b: c\r\n", ": c\r\n", "a\r\n", " folded\r\n", "a : b\r\n", "a: \x01\r\n"})
      CHECK_EQ(refusal(head_of(header), piece), 400);
  }
}

TEST_CASE("a connection is kept open as the request says") {
  const auto keeps = [](const std::string& request) {
    RequestReader reader(max_body);
    reader.feed(request);
    REQUIRE(reader.is_complete());
    return reader.keeps_connection();
  };
  CHECK(keeps("GET / HTTP/1.1\r\n\r\n"));
  CHECK(keeps("GET / HTTP/1.1\r\nConnection: keep-alive\r\n\r\n"));
  CHECK_FALSE(keeps("GET / HTTP/1.1\r\nConnection: Close\r\n\r\n"));
  CHECK_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
}

TEST_CASE("a client that waits for 100 Continue gets it once") {
  RequestReader reader(max_body);
  reader.feed("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n");
  CHECK_FALSE(reader.take_expectation());
  reader.feed("\r\n");
  CHECK(reader.take_expectation());
  CHECK_FALSE(reader.take_expectation());
  reader.feed("ab");
  CHECK(reader.is_complete());
}

TEST_CASE("any bytes are accepted or refused, and never more stored than the limit") {
  const std::vector<std::string> words{"POST / HTTP/1.1\r\n",
                                       "\r\n",
                                       "\n",
                                       "Content-Length: ",
                                       "Transfer-Encoding: chunked\r\n",
                                       "5",
                                       "0\r\n",
                                       ":",
                                       " ",
                                       "ffffffff",
                                       "a",
                                       std::string(1, '\0'),
                                       "\xFF",
                                       ";",
                                       "-"};
  RandomStream random(1, "requests");
  int complete = 0, refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = random.below(4) > 0 ? words[0] : "";
    for (std::uint64_t k = random.below(12); k > 0; --k) bytes += words[random.below(words.size())];
    RequestReader reader(max_body);
    try {
      for (std::size_t at = 0; at < bytes.size() && !reader.is_complete();) {
        const std::size_t taken = reader.feed(std::string_view(bytes).substr(at, 1 + random.below(5)));
        REQUIRE_GT(taken, 0);
        at += taken;
        REQUIRE_LE(reader.size(), max_body + 2 * RequestReader::max_head);
      }
      if (reader.is_complete()) {
        ++complete;
        const std::string request = reader.take();
        CHECK_NE(request.find("\r\n\r\n"), request.npos);
      }
    } catch (const HttpError& error) {
      ++refused;
      CHECK((error.status() == 400 || error.status() == 413));
    }
  }
  CHECK_GT(complete, 500);
  CHECK_GT(refused, 500);
}
