#include "app/serve/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/check.h"

namespace glossa::serve {

namespace {

constexpr int waiting_connections = 1024;

std::uint16_t port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  const bool is_known = getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  check(is_known, "--port", "cannot determine the port: {}", std::strerror(errno));
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

}  // namespace

Listener listen_at(const std::string& host, std::int64_t port) {
  addrinfo hints{}, *list = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  const int unknown = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  check(unknown == 0, "--host",
        "expected a name or address of this machine; got {} ({}). Hint: use 127.0.0.1, or 0.0.0.0 for all of its "
        "addresses",
        host, gai_strerror(unknown));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(list, freeaddrinfo);
  int error = 0;
  for (const addrinfo* address = list; address; address = address->ai_next) {
    Descriptor socket(::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int yes = 1;
    // Allows a port that a server has just released, but not one that is in use.
    if (socket.number() >= 0 && setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(socket.number(), address->ai_addr, address->ai_addrlen) == 0 &&
        listen(socket.number(), waiting_connections) == 0) {
      const std::string place = host.find(':') == host.npos ? host : "[" + host + "]";  // an IPv6 address gets brackets
      std::string url = fmt::format("http://{}:{}", place, port_of(socket.number()));
      return {std::move(socket), std::move(url)};
    }
    error = errno;
  }
  if (error == EADDRNOTAVAIL)
    fail("--host",
         "expected an address of this machine; got {}. Hint: use 127.0.0.1, or 0.0.0.0 for all of its addresses", host);
  fail("--port", "cannot listen on port {} of {}: {}. Hint: --port 0 takes any free one", port, host,
       std::strerror(error));
}

}  // namespace glossa::serve
