#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace glossa::serve {

/// Makes requests of HTTP/1.1 of the bytes of a connection as they come. A request is complete when its body is there,
/// of the length that it says or in chunks; more than `max_body` bytes of it are never kept. Throws HttpError for what
/// is no request, or one that is not read:
///   400  a head that is none, two lengths, lengths that are no numbers, chunks that are none
///   413  a body of more than `max_body` bytes, as soon as it says so or is so
///   415  a body that is compressed (Content-Encoding)
///   431  a head of more than 16 KiB
///   501  a transfer encoding other than chunked
class RequestReader {
 public:
  static constexpr std::size_t max_head = 16384;

  explicit RequestReader(std::size_t max_body) : max_body_(max_body) {}

  /// Takes bytes, none of the next request; returns how many. After it has thrown it takes no more.
  std::size_t feed(std::string_view bytes);

  /// Whether a byte of a request has come.
  bool has_begun() const { return part_ != Part::head || !line_.empty() || !head_.empty(); }
  /// Bytes of the request that are kept so far.
  std::size_t size() const { return head_.size() + line_.size() + body_.size(); }

  bool is_complete() const { return part_ == Part::done; }

  /// Whether the client waits for a word before it sends the body (Expect: 100-continue); true once a request.
  bool take_expectation();

  /// Whether the connection is to be kept when the request has been answered.
  bool keeps_connection() const { return keeps_connection_; }

  /// The complete request with its body in one piece and the length of it, and without the headers that are of the
  /// connection or ask for other forms of the answer (ranges, compression). The reader begins anew.
  std::string take();

 private:
  enum class Part { head, sized_body, chunk_size, chunk, chunk_end, trailer, done };

  std::size_t feed_line(std::string_view bytes);
  std::size_t feed_body(std::string_view bytes);
  void use_line();
  void use_request_line();
  void use_header();
  void end_head();
  void use_chunk_size();

  std::size_t max_body_;
  Part part_ = Part::head;
  std::string line_;        // so far, without its end
  std::string head_;        // what of the head is handed on
  std::size_t read_ = 0;    // bytes of the head, or of a chunk's lines
  std::uint64_t left_ = 0;  // bytes of the body or chunk at hand
  std::string body_;
  bool has_length_ = false, is_chunked_ = false, expects_ = false, keeps_connection_ = true;
};

}  // namespace glossa::serve
