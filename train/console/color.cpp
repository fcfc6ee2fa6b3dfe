#include "train/console/color.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>

namespace glossa {

namespace {

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1 && environment("TERM") != "dumb"; }

std::string colored(std::FILE* stream, Color color, std::string_view text) {
  const bool shows = is_terminal(stream) && environment("NO_COLOR").empty();
  return shows ? fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(color), text) : std::string(text);
}

}  // namespace glossa
