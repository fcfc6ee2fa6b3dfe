#include "train/console/print.h"

#include "files/printable.h"

namespace glossa {

void print_message(std::FILE* to, std::string_view label, std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::string line = fmt::format("{}{}\n", label, printable_line(text));
  std::fwrite(line.data(), 1, line.size(), to);
}

}  // namespace glossa
