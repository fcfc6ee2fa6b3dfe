#pragma once

#include <stdexcept>
#include <string>

namespace glossa::serve {

/// What a request is answered with in place of what it asked for: a status of HTTP and a text that says why.
class HttpError : public std::runtime_error {
 public:
  HttpError(int status, const std::string& text) : std::runtime_error(text), status_(status) {}

  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace glossa::serve
