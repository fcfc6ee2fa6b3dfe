#include "app/serve/request_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "app/serve/form.h"
#include "app/serve/header_text.h"
#include "app/serve/http_error.h"

namespace glossa::serve {

namespace {

/// True if a text is allowed as a header name (RFC 9110, section 5.6.2).
bool is_token(std::string_view text) { return consists_of(text, "!#$%&'*+-.^_`|~"); }

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7F; });
}

/// Parses all of `text` as a number; throws HttpError 400 for anything else.
std::uint64_t number(std::string_view text, int base, std::string_view what) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error == std::errc::result_out_of_range) return UINT64_MAX;  // the number exceeds any limit
  if (error != std::errc{} || end != text.data() + text.size())
    throw HttpError(400, "expected {} to be a number", what);
  return value;
}

/// Sets `taken` to the value of a header that may occur only once.
void take_once(std::optional<std::string>& taken, std::string_view name, std::string_view value) {
  if (taken) throw HttpError(400, "expected one {} header; got several", name);
  taken = value;
}

/// True for HTTP methods that act on a path. TRACE and CONNECT act on the connection.
bool is_method(std::string_view text) {
  constexpr std::array<std::string_view, 7> methods{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
  return std::ranges::find(methods, text) != methods.end();
}

}  // namespace

std::size_t RequestReader::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && part_ != Part::done) {
    const std::string_view rest = bytes.substr(used);
    used += part_ == Part::sized_body || part_ == Part::chunk ? feed_body(rest) : feed_line(rest);
  }
  return used;
}

std::size_t RequestReader::feed_line(std::string_view bytes) {
  const std::size_t feed = bytes.find('\n');
  const std::size_t taken = std::min(feed, bytes.size());
  if (read_ + taken > max_head) throw HttpError(431, "expected at most {} bytes before the body; got more", max_head);
  read_ += taken;
  line_ += bytes.substr(0, taken);
  if (feed == bytes.npos) return bytes.size();
  ++read_;
  const bool ends_with_cr = line_.ends_with('\r');
  if (ends_with_cr) line_.pop_back();
  if (part_ != Part::head && (!ends_with_cr || has_control(line_)))  // otherwise, a proxy might see different chunks
    throw HttpError(400, "expected the lines between chunks to end with CR LF");
  use_line();
  line_.clear();
  return feed + 1;
}

std::size_t RequestReader::feed_body(std::string_view bytes) {
  const std::size_t taken = std::min<std::uint64_t>(left_, bytes.size());
  request_.body += bytes.substr(0, taken);
  left_ -= taken;
  if (left_ == 0) part_ = part_ == Part::chunk ? Part::chunk_end : Part::done;
  return taken;
}

void RequestReader::use_line() {
  switch (part_) {
    case Part::head:
      if (request_.method.empty()) return use_request_line();
      return line_.empty() ? end_head() : use_header();
    case Part::chunk_size:
      return use_chunk_size();
    case Part::chunk_end:
      if (!line_.empty()) throw HttpError(400, "expected a chunk of the size it announces");
      part_ = Part::chunk_size;
      return;
    default:  // ignores trailers, which contain nothing useful
      if (line_.empty()) part_ = Part::done;
  }
}

void RequestReader::use_request_line() {
  if (line_.empty()) return;  // accepts an extra line end after the previous request
  const std::string_view line = line_;
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  const std::string_view version = line.substr(std::min(last + 1, line.size()));
  if (first == line.npos || last <= first + 1 || has_control(line) ||
      line.substr(first + 1, last - first - 1).find(' ') != line.npos ||
      (version != "HTTP/1.1" && version != "HTTP/1.0"))
    throw HttpError(400, "expected an HTTP/1.1 request: METHOD PATH HTTP/1.1");
  if (line.size() + 2 > max_header) throw HttpError(414, "expected a shorter path");
  request_.method = line.substr(0, first);
  if (!is_method(request_.method))
    throw HttpError(400, "expected a method such as GET or POST; got {}", request_.method);
  is_http_1_0_ = version == "HTTP/1.0";
  keeps_connection_ = !is_http_1_0_;
  use_target(line.substr(first + 1, last - first - 1));
}

void RequestReader::use_target(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {  // some proxies send it (RFC 9112, section 3.2.2)
    if (lower(target.substr(0, scheme.size())) != scheme) continue;
    target.remove_prefix(scheme.size());
    authority_ = target.substr(0, target.find_first_of("/?#"));
    target.remove_prefix(authority_->size());
    break;
  }
  target = target.substr(0, target.find('#'));
  const std::size_t path = std::min(target.find('?'), target.size());
  // After a host, an empty path means / (RFC 9110, section 4.2.3).
  request_.path = authority_ && path == 0 ? "/" : percent_decoded(target.substr(0, path));
  request_.query = target.substr(std::min(path + 1, target.size()));
}

void RequestReader::use_header() {
  const std::string_view line = line_;
  const std::size_t colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon)) || has_control(line))
    throw HttpError(400, "expected headers of the form NAME: VALUE");
  const std::string name = lower(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "content-length") {
    if (std::exchange(has_length_, true) || is_chunked_)
      throw HttpError(400, "expected one length of the body; got several");
    if (value.empty()) throw HttpError(400, "expected Content-Length to be a number");
    left_ = number(value, 10, "Content-Length");
  } else if (name == "transfer-encoding") {
    if (lower(value) != "chunked") throw HttpError(501, "expected Transfer-Encoding: chunked; got another");
    if (std::exchange(is_chunked_, true) || has_length_)
      throw HttpError(400, "expected one length of the body; got several");
  } else if (name == "host") {
    take_once(request_.host, "Host", value);
  } else if (name == "origin") {
    take_once(request_.origin, "Origin", value);
  } else if (name == "content-type") {
    take_once(request_.content_type, "Content-Type", value);
    request_.media_type = lower(trimmed(value.substr(0, value.find(';'))));
  } else if (name == "content-encoding") {
    if (lower(value) != "identity") throw HttpError(415, "expected an uncompressed body");
  } else if (name == "expect") {
    expects_ = lower(value) == "100-continue";
  } else if (name == "connection") {
    if (lower(value).find("close") != std::string::npos) keeps_connection_ = false;
  }
  if (name.size() + value.size() + 4 > max_header)  // size as NAME: VALUE, including the line's end
    throw HttpError(431, "expected at most {} bytes in a header; got more", max_header);
}

void RequestReader::end_head() {
  if (!request_.host && !is_http_1_0_) throw HttpError(400, "expected a Host header; got none");
  if (is_chunked_ && is_http_1_0_) throw HttpError(400, "expected Content-Length with HTTP/1.0; got Transfer-Encoding");
  if (authority_) request_.host = std::move(authority_);
  if (left_ > max_body_) throw HttpError(413, "expected a body of at most {} bytes; got more", max_body_);
  read_ = 0;
  part_ = is_chunked_ ? Part::chunk_size : left_ > 0 ? Part::sized_body : Part::done;
}

void RequestReader::use_chunk_size() {
  const std::size_t extensions = line_.find(';');  // extensions are ignored; blanks may only precede them
  std::string_view size = std::string_view(line_).substr(0, extensions);
  if (extensions != line_.npos) size = size.substr(0, size.find_last_not_of(" \t") + 1);
  if (size.empty()) throw HttpError(400, "expected the size of a chunk to be a number");
  left_ = number(size, 16, "the size of a chunk");
  if (left_ > max_body_ - request_.body.size())
    throw HttpError(413, "expected a body of at most {} bytes; got more", max_body_);
  read_ = 0;
  part_ = left_ > 0 ? Part::chunk : Part::trailer;
}

bool RequestReader::take_expectation() {
  const bool waits = part_ != Part::head && part_ != Part::done;
  return waits && std::exchange(expects_, false);
}

HttpRequest RequestReader::take() { return std::exchange(*this, RequestReader(max_body_)).request_; }

}  // namespace glossa::serve
