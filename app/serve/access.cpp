#include "app/serve/access.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "app/serve/header_text.h"
#include "app/serve/http_error.h"
#include "data/text/shell_word.h"
#include "data/text/utf8.h"

namespace glossa::serve {

namespace {

bool is_address(int family, const std::string& text) {
  in6_addr address{};  // has room for an IPv4 or an IPv6 address
  return inet_pton(family, text.c_str(), &address) == 1;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc{} || read != end || port == 0) return {};
  return port;
}

std::optional<std::uint16_t> default_port(std::string_view scheme) {
  if (scheme == "http") return std::uint16_t{80};
  if (scheme == "https") return std::uint16_t{443};
  return {};
}

/// True if the pages of `origin` come from the server whose host and port are `server`.
bool is_own(const Origin& origin, const Authority& server) {
  const std::optional<std::uint16_t> otherwise = default_port(origin.scheme);
  if (!otherwise) return false;  // an app's page: capacitor://localhost
  const auto port_of = [&](const Authority& each) { return each.port.value_or(*otherwise); };
  return origin.authority.host == server.host && port_of(origin.authority) == port_of(server);
}

}  // namespace

std::optional<Authority> parse_authority(std::string_view text) {
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : text.npos;
  const std::size_t end = bracket == text.npos ? std::min(text.find(':'), text.size()) : bracket + 1;
  const std::string_view host = text.substr(0, end), after = text.substr(end);
  Authority authority{.host = utf8::lower_case(host), .port = {}};
  if (bracket != text.npos) {
    authority.is_address = is_address(AF_INET6, std::string(host.substr(1, host.size() - 2)));
    if (!authority.is_address) return {};
  } else {
    if (!consists_of(host, "-._")) return {};
    authority.is_address = is_address(AF_INET, authority.host);
  }
  if (after.empty()) return authority;
  authority.port = parse_port(after.substr(1));
  if (!after.starts_with(':') || !authority.port) return {};
  return authority;
}

std::optional<Origin> parse_origin(std::string_view text) {
  constexpr std::string_view separator = "://";
  const std::size_t end = text.find(separator);
  if (end == text.npos || !consists_of(text.substr(0, end), "+-.")) return {};
  const std::optional<Authority> authority = parse_authority(text.substr(end + separator.size()));
  if (!authority) return {};
  return Origin{utf8::lower_case(text.substr(0, end)), *authority};
}

void check_host(std::string_view host, std::span<const std::string> names) {
  const std::optional<Authority> authority = parse_authority(host);
  if (!authority) throw HttpError(400, "expected a Host header such as example.org or 127.0.0.1:5000; got {}", host);
  const auto is_host = [&](std::string_view name) { return utf8::lower_case(name) == authority->host; };
  if (!authority->is_address && !is_host("localhost") && std::ranges::none_of(names, is_host))
    throw HttpError(421, "expected an address of this server, or a name that it knows; got {}. Hint: {}", host,
                    shell_command({"glossa", "serve", "--host-name", authority->host}));
}

void check_origin(std::string_view origin, std::string_view host, std::string_view allowed) {
  if (allowed == "*" || (!origin.empty() && origin == allowed)) return;
  const std::optional<Origin> page = parse_origin(origin);
  const std::optional<Authority> server = parse_authority(host);
  if (!page || !server || !is_own(*page, *server))
    throw HttpError(403, "expected a request of this server's own page; got one from {}. Hint: {}", origin,
                    shell_command({"glossa", "serve", "--allow-origin", page ? origin : "ORIGIN"}));
}

}  // namespace glossa::serve
