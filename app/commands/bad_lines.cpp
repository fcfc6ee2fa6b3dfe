#include "app/commands/bad_lines.h"

#include "data/text/counted.h"
#include "data/text/place.h"
#include "train/config/config_terms.h"
#include "train/console/print.h"

namespace glossa {

namespace {

constexpr std::int64_t max_reported = 5;  // per reason

/// The part of the error that is equal for all lines that fail alike.
std::string reason_of(const Error::Parts& parts) {
  return parts.problem.empty() ? "expected " + parts.expected : parts.problem;
}

}  // namespace

void BadLines::report(const LineError& error) {
  if (++count_[reason_of(error.parts())] <= max_reported) warn("{}", in_config_terms(error).what());
}

bool BadLines::next(LineReader& reader, std::optional<std::string>& line) {
  bool more = true;
  if (!pass([&] { more = reader.next(line.emplace()); })) line.reset();
  return more;
}

int BadLines::status(std::string_view name, std::int64_t bad, std::int64_t lines, std::string_view done) const {
  for (const auto& [reason, count] : count_)
    if (count > max_reported)
      warn("[{}] {}: {}", name, counted(count - max_reported, fmt::format("more {}", counted_thing(name))), reason);
  if (bad == 0) return 0;
  print_error(stderr,
              "[{}] {} of {} {}s not {}; they are empty or missing in the output. Hint: the warnings name the reasons",
              name, bad, lines, counted_thing(name), done);
  return 1;
}

}  // namespace glossa
