#pragma once

#include "base/console/print.h"

namespace glossa::testing {

/// Counts the warnings that the library sends while it exists, and keeps messages from standard error.
class Warnings {
 public:
  Warnings() {
    set_message_sink([this](Message kind, std::string_view) { count_ += kind == Message::warning; });
  }
  ~Warnings() { set_message_sink({}); }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;

  int count() const { return count_; }

 private:
  int count_ = 0;
};

}  // namespace glossa::testing
