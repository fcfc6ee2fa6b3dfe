#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace glossa::serve {

/// A host with an optional port, as in a Host header: example.org:5000, 127.0.0.1, [::1]:80.
struct Authority {
  std::string host;  ///< in lower case; an IPv6 address includes its brackets
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

/// Parses an origin. Returns nothing if `text` is not an origin. For example, browsers send "null" for a page without
/// an origin.
std::optional<Origin> parse_origin(std::string_view text);

/// Checks that `host`, a request's Host header, is an IP address, localhost, or one of `names`. Without this check,
/// anybody could point a domain at this machine (DNS rebinding). Browsers would then let that domain's pages read the
/// answers. Throws HttpError 400 if `host` is malformed, and 421 if it is not allowed.
void check_host(std::string_view host, std::span<const std::string> names);

/// Checks `origin`, a request's Origin header. It passes if it has the host and port of `host`, the request's Host
/// header, or if it equals `allowed`. If `allowed` is *, every origin passes. Throws HttpError 403 for other origins.
void check_origin(std::string_view origin, std::string_view host, std::string_view allowed);

}  // namespace glossa::serve
