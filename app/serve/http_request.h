#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace glossa::serve {

/// A complete HTTP request. Values of headers are those that the client sent, with any %XX.
struct HttpRequest {
  std::string method;
  std::string path;                         ///< of the target, with %XX decoded
  std::string query;                        ///< of the target, after the ?, with any %XX
  std::optional<std::string> host;          ///< from the target or from Host; missing only with HTTP/1.0
  std::optional<std::string> origin;        ///< of the page that sends the request
  std::optional<std::string> content_type;  ///< with parameters
  std::string media_type;                   ///< Content-Type in lower case, without parameters
  std::string body;                         ///< without chunks

  /// Bytes of all texts.
  std::size_t size() const {
    const auto size_of = [](const std::optional<std::string>& value) { return value ? value->size() : 0; };
    return method.size() + path.size() + query.size() + size_of(host) + size_of(origin) + size_of(content_type) +
           media_type.size() + body.size();
  }
};

}  // namespace glossa::serve
