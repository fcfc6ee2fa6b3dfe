#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glossa::serve {

/// A complete HTTP request. Header values are as the client sent them, including any %XX.
struct HttpRequest {
  std::string method;
  std::string path;                         ///< path of the target, with %XX decoded
  std::string query;                        ///< part of the target after the ?, with any %XX
  std::optional<std::string> host;          ///< host of the target or of the Host header; missing only with HTTP/1.0
  std::optional<std::string> origin;        ///< origin of the page that sends the request
  std::optional<std::string> content_type;  ///< complete header, with parameters
  std::string media_type;                   ///< Content-Type in lower case, without parameters
  std::string body;                         ///< complete body, with chunks joined

  /// Returns the total bytes of all texts.
  std::size_t size() const {
    const auto size_of = [](const std::optional<std::string>& value) { return value ? value->size() : 0; };
    return method.size() + path.size() + query.size() + size_of(host) + size_of(origin) + size_of(content_type) +
           media_type.size() + body.size();
  }
};

/// Parses HTTP/1.1 requests from a connection's bytes as they arrive. A request is complete once its whole body has
/// arrived; the body has a declared length or comes in chunks. Throws HttpError for an invalid or unsupported request:
///   400  an invalid head, an unknown method, no host, two hosts or lengths, invalid lengths or chunks
///   413  a body of more than `max_body` bytes, by the declared length or by the bytes received
///   414  a request line of more than 8 KiB
///   415  a compressed body (Content-Encoding)
///   431  a head of more than 16 KiB, a header of more than 8 KiB
///   501  a transfer encoding other than chunked
class RequestReader {
 public:
  static constexpr std::size_t max_head = 16384;
  static constexpr std::size_t max_header = 8192;  ///< bytes of a header or the request line, including its end

  explicit RequestReader(std::size_t max_body) : max_body_(max_body) {}

  /// Reads bytes from the front of `bytes`, at most to the end of the current request. Returns the number of bytes
  /// read. Must not be called again after an exception.
  std::size_t feed(std::string_view bytes);

  /// True once a request has begun.
  bool has_begun() const { return part_ != Part::head || !line_.empty() || !request_.method.empty(); }
  /// Returns the number of bytes of the request kept so far.
  std::size_t size() const { return line_.size() + request_.size(); }

  bool is_complete() const { return part_ == Part::done; }

  /// True if the client waits for permission to send the body (Expect: 100-continue). Returns true only once per
  /// request.
  bool take_expectation();

  /// True if the connection stays open after this request is answered.
  bool keeps_connection() const { return keeps_connection_; }

  /// True if the request uses HTTP/1.0, which does not support interim responses.
  bool is_http_1_0() const { return is_http_1_0_; }

  /// Returns the complete request and resets the reader for the next one.
  HttpRequest take();

 private:
  enum class Part { head, sized_body, chunk_size, chunk, chunk_end, trailer, done };

  std::size_t feed_line(std::string_view bytes);
  std::size_t feed_body(std::string_view bytes);
  void use_line();
  void use_request_line();
  void use_target(std::string_view target);
  void use_header();
  void end_head();
  void use_chunk_size();

  std::size_t max_body_;
  Part part_ = Part::head;
  std::string line_;        // the current line so far, without its end
  std::size_t read_ = 0;    // size of the head so far, or of the lines around a chunk
  std::uint64_t left_ = 0;  // remaining bytes of the current body or chunk
  HttpRequest request_;
  std::optional<std::string> authority_;  // host in the request's target
  bool is_http_1_0_ = false;
  bool has_length_ = false, is_chunked_ = false, expects_ = false, keeps_connection_ = true;
};

}  // namespace glossa::serve
