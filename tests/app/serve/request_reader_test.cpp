#include "app/serve/request_reader.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>
#include <tuple>
#include <vector>

#include "app/serve/http_error.h"
#include "base/random.h"

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

std::string head_of(const std::string& headers, const std::string& version = "HTTP/1.1") {
  return "POST /translate " + version + "\r\nHost: a\r\n" + headers + "\r\n";
}

/// The complete request that `bytes` are.
HttpRequest request_of(const std::string& bytes) {
  RequestReader reader(max_body);
  reader.feed(bytes);
  REQUIRE(reader.is_complete());
  return reader.take();
}

}  // namespace

TEST_CASE("a request comes out whole, however its bytes arrive, and those of the next are left") {
  const std::string sized = head_of("content-length:  5 \r\nX: y\r\n") + "hello";
  const std::string chunked = head_of("Transfer-Encoding: Chunked\r\nRange: bytes=0-1\r\n") +
                              "3;x=y\r\nhel\r\n02\r\nlo\r\n0\r\nTrailer: z\r\n\r\n";
  const std::string get = "GET / HTTP/1.1\nHost: a\nAccept-Encoding: gzip\n\n";
  for (const std::size_t piece : {1, 2, 7, 1000}) {
    CAPTURE(piece);
    RequestReader reader(max_body);
    std::vector<HttpRequest> requests;
    const std::string all = sized + chunked + "\r\n" + get;
    for (std::size_t at = 0; at < all.size();) {
      at += reader.feed(std::string_view(all).substr(at, piece));
      if (reader.is_complete()) requests.push_back(reader.take());
    }
    CHECK_FALSE(reader.has_begun());
    REQUIRE_EQ(requests.size(), 3);
    for (const int i : {0, 1}) {
      CHECK_EQ(requests[i].method, "POST");
      CHECK_EQ(requests[i].path, "/translate");
      CHECK_EQ(requests[i].host, "a");
      CHECK_EQ(requests[i].body, "hello");
    }
    CHECK_EQ(requests[2].method, "GET");
    CHECK_EQ(requests[2].path, "/");
    CHECK_EQ(requests[2].body, "");
  }
}

TEST_CASE("a target may name its host before the path, as a request to a proxy does") {
  for (const auto& [target, path, query, host] :
       {std::tuple{"/languages?a=http://b/c", "/languages", "a=http://b/c", "a"},
        {"http://example.org:5000/languages?a=b", "/languages", "a=b", "example.org:5000"},
        {"https://example.org/", "/", "", "example.org"},
        {"HTTP://127.0.0.1/health", "/health", "", "127.0.0.1"},
        {"hTTpS://EXAMPLE.org/A", "/A", "", "EXAMPLE.org"},
        {"http://127.0.0.1?x", "/", "x", "127.0.0.1"},
        {"HTTP://[::1]:80?a=/b#/c", "/", "a=/b", "[::1]:80"},
        {"http://127.0.0.1#/a?b", "/", "", "127.0.0.1"},
        {"http://127.0.0.1?", "/", "", "127.0.0.1"},
        {"http://example.org", "/", "", "example.org"},
        {"http:///", "/", "", ""},
        {"*", "*", "", "a"}}) {
    const HttpRequest request = request_of(fmt::format("GET {} HTTP/1.1\r\nHost: a\r\n\r\n", target));
    CHECK_EQ(request.path, path);
    CHECK_EQ(request.query, query);
    CHECK_EQ(request.host, host);
  }
}

TEST_CASE("a target is split into its path, which is decoded, and its query") {
  for (const auto& [target, path, query] : {std::tuple{"/a%20b%2Fc%zz%4?q=%41+b", "/a b/c%zz%4", "q=%41+b"},
                                            {"/a+b?", "/a+b", ""},
                                            {"/a%3Fb=c", "/a?b=c", ""},
                                            {"/a?b=c#d?e", "/a", "b=c"},
                                            {"/a#b?c", "/a", ""},
                                            {"/a?b=c?&d=/?", "/a", "b=c?&d=/?"},
                                            {"?a", "", "a"}}) {
    const HttpRequest request = request_of(fmt::format("GET {} HTTP/1.1\r\nHost: a\r\n\r\n", target));
    CHECK_EQ(request.path, path);
    CHECK_EQ(request.query, query);
  }
}

TEST_CASE("host, origin and type of a request are those that the client sent") {
  const HttpRequest request =
      request_of(head_of("ORIGIN: http://%61 \r\nContent-Type: Multipart/Form-Data ; boundary=Ab\r\n"));
  CHECK_EQ(request.host, "a");
  CHECK_EQ(request.origin, "http://%61");
  CHECK_EQ(request.media_type, "multipart/form-data");
  CHECK_EQ(request.content_type, "Multipart/Form-Data ; boundary=Ab");
  const HttpRequest old = request_of("GET / HTTP/1.0\r\n\r\n");
  CHECK_FALSE(old.host);
  CHECK_FALSE(old.origin);
  CHECK_FALSE(old.content_type);
  CHECK_EQ(old.media_type, "");
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
    for (const char* size : {"1 ;a=b", "1\t \t; a", "1;", "1; a = \"b ;c\""})  // blanks before an extension
      CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\n") + size + "\r\nx\r\n0\r\n\r\n", piece), 0);
    for (const char* size :
         {"", "g", "-1", "+1", "0x1", "1 1", ";a", " 1", "\t1", "1 ", "1\t", " 1 ", " ", " ;a", " 1;a", "1 1;a", "1 a"})
      CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\n") + size + "\r\n", piece), 400);
    for (const char* length : {"", "-1", "+1", "1a", "1, 1", "0x1"})
      CHECK_EQ(refusal(head_of(std::string("Content-Length: ") + length + "\r\n"), piece), 400);
    CHECK_EQ(refusal(head_of("Content-Length: 1\r\nContent-Length: 1\r\n"), piece), 400);
    CHECK_EQ(refusal(head_of("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"), piece), 400);
    CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n"), piece), 400);
    CHECK_EQ(refusal("GET / HTTP/1.1\r\n\r\n", piece), 400);
    CHECK_EQ(refusal("GET / HTTP/1.0\r\n\r\n", piece), 0);
    for (const char* twice : {"Host: a\r\n", "Origin: a\r\nOrigin: a\r\n", "Content-Type: a\r\nContent-Type: a\r\n"})
      CHECK_EQ(refusal(head_of(twice), piece), 400);
    CHECK_EQ(refusal(head_of("Transfer-Encoding: gzip, chunked\r\n"), piece), 501);
    CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\n", "HTTP/1.0") + "0\r\n\r\n", piece), 400);
    CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\n") + "1;a=b\r\nx\r\n0\r\nT: z\r\n\r\n", piece), 0);
    for (const char* chunks : {"1\nx\r\n0\r\n\r\n", "1\r\nx\n0\r\n\r\n", "1\r\nx\r\n0\n\r\n", "1\r\nx\r\n0\r\n\n",
                               "1\r\nx\r\n0\r\nT: z\n\r\n", "1;\rx\r\nx\r\n0\r\n\r\n"})
      CHECK_EQ(refusal(head_of("Transfer-Encoding: chunked\r\n") + chunks, piece), 400);
    for (const char* encoding : {"gzip", "br", "deflate", "identity, gzip"})
      CHECK_EQ(refusal(head_of(std::string("content-encoding: ") + encoding + "\r\n"), piece), 415);
    CHECK_EQ(refusal(head_of("Content-Encoding: identity\r\n"), piece), 0);
    CHECK_EQ(refusal("GET /" + std::string(20000, 'a'), piece), 431);
    const std::string longest(RequestReader::max_header - std::string("GET / HTTP/1.1\r\n").size(), 'a');
    CHECK_EQ(refusal("GET /" + longest + " HTTP/1.1\r\n", piece), 0);
    CHECK_EQ(refusal("GET /a" + longest + " HTTP/1.1\r\n", piece), 414);
    for (const char* method : {"HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"})
      CHECK_EQ(refusal(fmt::format("{} / HTTP/1.1\r\n", method), piece), 0);
    for (const char* method : {"BREW", "get", "GE", "GETS", "TRACE", "CONNECT"})
      CHECK_EQ(refusal(fmt::format("{} / HTTP/1.1\r\n", method), piece), 400);
    CHECK_EQ(refusal(head_of(std::string(20000, 'a')), piece), 431);
    CHECK_EQ(refusal(std::string(20000, '\n'), piece), 431);
    CHECK_EQ(refusal(head_of("a: " + std::string(RequestReader::max_header - 5, 'a') + "\r\n"), piece), 0);
    CHECK_EQ(refusal(head_of("a: " + std::string(RequestReader::max_header - 4, 'a') + "\r\n"), piece), 431);
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
  CHECK(keeps(head_of("")));
  CHECK(keeps(head_of("Connection: keep-alive\r\n")));
  CHECK_FALSE(keeps(head_of("Connection: Close\r\n")));
  CHECK_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
}

TEST_CASE("a client that waits for 100 Continue gets it once") {
  RequestReader reader(max_body);
  reader.feed("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n");
  CHECK_FALSE(reader.take_expectation());
  reader.feed("\r\n");
  CHECK(reader.take_expectation());
  CHECK_FALSE(reader.take_expectation());
  reader.feed("ab");
  CHECK(reader.is_complete());
}

TEST_CASE("any bytes are accepted or refused, and never more stored than the limit") {
  const std::vector<std::string> words{"POST / HTTP/1.1\r\nHost: a\r\n",
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
        const HttpRequest request = reader.take();
        CHECK_EQ(request.method, "POST");
        CHECK_EQ(request.path, "/");
        CHECK_LE(request.body.size(), max_body);
        CHECK_FALSE(reader.has_begun());
      }
    } catch (const HttpError& error) {
      ++refused;
      CHECK((error.status() == 400 || error.status() == 413));
    }
  }
  CHECK_GT(complete, 500);
  CHECK_GT(refused, 500);
}
