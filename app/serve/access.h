#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace glossa::serve {

/// A host, perhaps with a port, as in a Host header: example.org:5000, 127.0.0.1, [::1]:80.
struct Authority {
  std::string host;  ///< in lower case; an IPv6 address with its brackets
  bool is_address = false;
  std::optional<std::uint16_t> port;
};

/// Parses an authority. Returns nothing if `text` is not one.
std::optional<Authority> parse_authority(std::string_view text);

/// A page's origin, as browsers send it: https://example.org:5000.
struct Origin {
  std::string scheme;
  Authority authority;
};

/// Parses an origin. Returns nothing if `text` is not one, such as the "null" sent by a page without an origin.
std::optional<Origin> parse_origin(std::string_view text);

/// Checks that `host`, a request's Host header, is an IP address, localhost, or one of `names`. Anybody may point a
/// name of their own at this machine, and browsers would then let pages under that name read the answers (DNS
/// rebinding). Throws HttpError 400 for a malformed `host`, 421 for another name.
void check_host(std::string_view host, std::span<const std::string> names);

/// Checks that a request comes from the server's own page: `origin` must have the host and port of `host`, the
/// request's Host header. `allowed` is one more accepted origin, or * for all. Throws HttpError 403.
void check_origin(std::string_view origin, std::string_view host, std::string_view allowed);

}  // namespace glossa::serve
