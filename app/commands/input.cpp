#include "app/commands/input.h"

#include <unistd.h>

namespace glossa::commands {

LineReader open_input(const std::string& input, const TextOptions& options) {
  return input.empty() ? LineReader(STDIN_FILENO, "standard input", options) : LineReader(input, options);
}

bool splits_sentences(std::string_view choice, const TextStatistics& trained_on) {
  return choice == "auto" ? trained_on.has_one_sentence_a_line() : choice == "on";
}

}  // namespace glossa::commands
