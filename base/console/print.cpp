#include "base/console/print.h"

#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>

#include "base/printable.h"

namespace glossa {

namespace {

Verbosity of_process = Verbosity::usual;
MessageSink message_sink;

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

Verbosity verbosity() { return of_process; }
void set_verbosity(Verbosity verbosity) { of_process = verbosity; }

void set_message_sink(MessageSink sink) { message_sink = std::move(sink); }
bool has_message_sink() { return message_sink != nullptr; }

bool is_wanted(Message kind) {
  if (has_message_sink() || kind == Message::warning) return true;
  return kind == Message::detail ? verbosity() == Verbosity::verbose : verbosity() != Verbosity::quiet;
}

void send_message(Message kind, std::string_view text) {
  if (!is_wanted(kind)) return;
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (has_message_sink()) return message_sink(kind, text);
  const bool warns = kind == Message::warning;
  print_message(stderr, warns ? colored(stderr, Color::warning, "warning:") + " " : "", text);
}

void print_message(std::FILE* to, std::string_view label, std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::string line = fmt::format("{}{}\n", label, printable_line(text));
  std::fwrite(line.data(), 1, line.size(), to);
}

std::string local_time(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, format, &local);
  return text;
}

}  // namespace glossa
