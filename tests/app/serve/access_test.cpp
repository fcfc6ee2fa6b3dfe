#include "app/serve/access.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <functional>
#include <map>
#include <vector>

#include "app/serve/http_error.h"
#include "base/random.h"

using namespace glossa;
using namespace glossa::serve;

namespace {

using Strings = std::vector<std::string>;

int access_status(const std::function<void()>& call) {
  try {
    call();
  } catch (const HttpError& error) {
    CHECK_LT(std::string_view(error.what()).size(), 1000);
    return error.status();
  }
  return 200;
}

int host_status(const std::string& host, const Strings& names = {}) {
  return access_status([&] { check_host(host, names); });
}

int origin_status(const std::string& origin, const std::string& host, const std::string& allowed = "") {
  return access_status([&] { check_origin(origin, host, allowed); });
}

const std::string& one_of(const Strings& texts, RandomStream& random) { return texts[random.below(texts.size())]; }

const Strings addresses{"127.0.0.1", "0.0.0.0", "192.168.0.255", "[::1]", "[FE80::1]", "[::ffff:10.0.0.1]"};

}  // namespace

TEST_CASE("a server is known by its addresses, as localhost, and by the names that it is given") {
  const Strings names{"Example.org", "my_box"};
  for (const std::string port : {"", ":1", ":80", ":5000", ":65535"}) {
    for (const std::string& address : addresses) CHECK_MESSAGE(host_status(address + port) == 200, address);
    for (const std::string name : {"localhost", "LocalHost"}) CHECK_EQ(host_status(name + port), 200);
    for (const std::string name : {"example.org", "EXAMPLE.ORG", "My_Box"}) {
      CHECK_EQ(host_status(name + port, names), 200);
      CHECK_EQ(host_status(name + port), 421);
    }
    // Browsers write an address in one form only; any other text is a name that some server may resolve.
    for (const std::string name :
         {"attacker.example", "localhost.", "localhost.attacker.example", "example.org.", "www.example.org", "example",
          "127.0.0.1.attacker.example", "127.0.0.1.", "127.1", "2130706433", "0x7f.0.0.1", "127.0.0.256", "1.2.3.4.5"})
      CHECK_MESSAGE(host_status(name + port, names) == 421, name);
  }
  for (const char* host : {"",
                           " ",
                           ":80",
                           "a b",
                           "a:",
                           "a:x",
                           "a:0",
                           "a:65536",
                           "a:+1",
                           "a:80:80",
                           "a/b",
                           "a@localhost",
                           "::1",
                           "[::1",
                           "[]",
                           "[::1]x",
                           "[::1]80",
                           "[1]",
                           "[127.0.0.1]",
                           "[::1%25lo]",
                           "localhost\t",
                           "127.0.0.1,a",
                           "localhost%00",
                           "\xC3\xA4.example",
                           "\xE2\x84\xAA",
                           "*"})
    CHECK_MESSAGE(host_status(host) == 400, host);
}

TEST_CASE("a page may send requests to the server that it came from, and to no other") {
  for (const std::string& host : {std::string("localhost"), std::string("example.org"), addresses[0], addresses[3]}) {
    for (const std::string port : {"", ":81", ":5000"})
      for (const std::string scheme : {"http://", "https://"}) {
        CHECK_EQ(origin_status(scheme + host + port, host + port), 200);
        CHECK_EQ(origin_status(scheme + host + port, host + ":82"), 403);
        CHECK_EQ(origin_status(scheme + host + port, "a" + port), 403);
      }
    // A proxy may end TLS, so that only the page knows the scheme and its default port.
    CHECK_EQ(origin_status("http://" + host, host + ":80"), 200);
    CHECK_EQ(origin_status("https://" + host + ":443", host), 200);
    CHECK_EQ(origin_status("https://" + host, host + ":80"), 403);
    for (const std::string app : {"ws://", "capacitor://", "127.0.0.1http://"})
      for (const std::string port : {"", ":80"}) CHECK_EQ(origin_status(app + host + port, host + port), 403);
  }
  CHECK_EQ(origin_status("HTTP://LOCALHOST", "localhost"), 200);
  for (const char* origin : {"", "null", "localhost", "//localhost", "://localhost", "http:/localhost", "http://",
                             "http://localhost/", "http://localhost.", "http://localhost:", "http://a@localhost",
                             "http://localhost http://localhost", "http://localhost,null", "http://127.0.0.1"})
    CHECK_MESSAGE(origin_status(origin, "localhost") == 403, origin);
  CHECK_EQ(origin_status("http://localhost", ""), 403);
  CHECK_EQ(origin_status("https://example.org", "localhost", "https://example.org"), 200);
  CHECK_EQ(origin_status("http://example.org", "localhost", "https://example.org"), 403);
  CHECK_EQ(origin_status("http://localhost", "localhost", "https://example.org"), 200);
  for (const char* origin : {"null", "", "chrome-extension://abc", "x"})
    CHECK_EQ(origin_status(origin, "localhost", "*"), 200);
}

TEST_CASE("random hosts and origins are what their parts say") {
  const Strings labels{"a", "example", "127", "0", "1", "xn--bcher-kva", "x_y", "localhost", "LOCALHOST"};
  RandomStream random(1, "authorities");
  for (int round = 0; round < 20000; ++round) {
    std::string host = one_of(addresses, random);
    const bool is_address = random.below(2) == 0;
    if (!is_address) {
      host = one_of(labels, random);
      for (std::uint64_t more = random.below(3); more > 0; --more) host += "." + one_of(labels, random);
    }
    const std::uint64_t port = random.below(3) == 0 ? 0 : 1 + random.below(65535);
    const std::string text = port == 0 ? host : fmt::format("{}:{}", host, port);
    CAPTURE(text);
    const std::optional<Authority> authority = parse_authority(text);
    REQUIRE(authority);
    CHECK_EQ(authority->is_address, is_address);
    CHECK_EQ(authority->port.value_or(0), port);
    CHECK_EQ(authority->host.size(), host.size());
    CHECK_EQ(host_status(text, {host}), 200);
    CHECK_EQ(origin_status("https://" + text, text), 200);
    const std::optional<Origin> origin = parse_origin("http://" + text);
    REQUIRE(origin);
    CHECK_EQ(origin->authority.host, authority->host);
    const std::optional<Authority> again =
        parse_authority(port == 0 ? authority->host : fmt::format("{}:{}", authority->host, port));
    REQUIRE(again);
    CHECK_EQ(again->host, authority->host);
  }
}

TEST_CASE("no random bytes are a host that is neither an address nor a known name") {
  const Strings words{"localhost", "127.0.0.1", "[::1]", "[",       "]",    ":",  "::",   "80",
                      ".",         "a",         "@",     "/",       "%",    "\t", "\xFF", std::string(1, '\0'),
                      "0",         "-",         "//",    "http://", "null", ","};
  RandomStream random(2, "hosts");
  std::map<int, int> statuses, of_origins;
  for (int round = 0; round < 50000; ++round) {
    std::string text;
    for (std::uint64_t k = random.below(5); k > 0; --k) text += one_of(words, random);
    CAPTURE(text);
    const int status = host_status(text);
    ++statuses[status];
    if (status == 200) {
      const std::string host = text.substr(0, text.find(':', text.find(']') == text.npos ? 0 : text.find(']')));
      CHECK((host == "localhost" || host.starts_with("[::") || host.find_first_not_of("0123456789.") == host.npos));
    }
    const int of_origin = origin_status(text, "localhost");
    ++of_origins[of_origin];
    if (of_origin == 200) CHECK(text.starts_with("http://localhost"));
  }
  for (const int status : {200, 400, 421}) CHECK_GT(statuses[status], 500);
  CHECK_EQ(statuses.size(), 3);
  CHECK_GT(of_origins[200], 10);
  CHECK_EQ(of_origins.size(), 2);
}
