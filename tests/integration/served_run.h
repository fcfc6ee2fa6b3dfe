#pragma once

#include <string>

#include "tests/integration/serve_client.h"

namespace glossa::testing {

/// A run trained enough for varied output, with its translations of some lines.
struct ServedRun {
  ServedRun();

  Strings translate(const Strings& sources) const;
  std::string run() const { return tiny / "run"; }

  TinyRun tiny;
  Strings lines, translated;
};

/// The run of all tests of the server, made once.
const ServedRun& fixture();

/// A text as a JSON string.
std::string in_json(const std::string& text);

/// The translation in a successful answer, as JSON.
std::string translated(int port, const std::string& text, const std::string& more = "");

/// Checks that an answer is a JSON error with `status`, whose text contains `part`.
void check_error(const Answer& answer, int status, const std::string& part = "expected ");

}  // namespace glossa::testing
