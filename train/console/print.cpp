#include "train/console/print.h"

#include <string>

#include "files/printable.h"
#include "train/console/verbosity.h"

namespace glossa {

namespace {

MessageSink& message_sink() {
  static MessageSink sink;
  return sink;
}

}  // namespace

void set_message_sink(MessageSink sink) { message_sink() = std::move(sink); }
bool has_message_sink() { return message_sink() != nullptr; }

void send_message(Message kind, std::string_view text) {
  if (has_message_sink()) return message_sink()(kind, text);
  switch (kind) {
    case Message::detail:
      if (verbosity() == Verbosity::verbose) print_message(stderr, "", text);
      return;
    case Message::note:
      if (verbosity() != Verbosity::quiet) print_message(stderr, "", text);
      return;
    case Message::warning:
      print_message(stderr, colored(stderr, Color::warning, "warning:") + " ", text);
  }
}

void print_message(std::FILE* to, std::string_view label, std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::string line = fmt::format("{}{}\n", label, printable_line(text));
  std::fwrite(line.data(), 1, line.size(), to);
}

}  // namespace glossa
