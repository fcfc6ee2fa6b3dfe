#include "app/commands/bad_lines.h"

#include "train/config/config_terms.h"
#include "train/console/print.h"

namespace glossa {

void BadLines::report(const LineError& error) { warn("{}", in_config_terms(error.what())); }

int status_of_lines(std::string_view name, std::int64_t bad, std::int64_t lines, std::string_view done) {
  if (bad == 0) return 0;
  print_error(
      stderr,
      "[{}] {} of {} lines not {}; they are empty or missing in the output. Hint: the warnings name the reasons", name,
      bad, lines, done);
  return 1;
}

}  // namespace glossa
