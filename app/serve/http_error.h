#pragma once

#include <stdexcept>
#include <string>

namespace glossa::serve {

/// An error answer to a request: an HTTP status and a text with the reason.
class HttpError : public std::runtime_error {
 public:
  HttpError(int status, const std::string& text) : std::runtime_error(text), status_(status) {}

  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace glossa::serve
