#include "app/commands/input.h"

#include <unistd.h>

#include "base/console/print.h"
#include "base/counted.h"
#include "config/config_terms.h"
#include "data/text/place.h"

namespace glossa::commands {

namespace {

constexpr std::int64_t max_reported = 5;  // maximum lines reported per reason

/// Returns the part of the error that all lines with the same fault share.
std::string reason_of(const Error::Parts& parts) {
  return parts.problem.empty() ? "expected " + parts.expected : parts.problem;
}

/// Returns the lines of a file; unusable lines are empty values.
std::vector<std::optional<std::string>> usable_lines(const std::string& path, const TextOptions& options,
                                                     BadLines& bad_lines) {
  LineReader reader(path, options);
  std::vector<std::optional<std::string>> lines;
  for (std::optional<std::string> line; bad_lines.next(reader, line);) lines.push_back(std::move(line));
  return lines;
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

LineReader open_input(const std::string& input, const TextOptions& options) {
  return input.empty() ? LineReader(STDIN_FILENO, "standard input", options) : LineReader(input, options);
}

bool splits_sentences(std::string_view choice, const TextStatistics& trained_on) {
  return choice == "auto" ? trained_on.has_one_sentence_a_line() : choice == "on";
}

LinePairs read_line_pairs(const std::string& source, const std::string& target, const TextOptions& options,
                          BadLines& in_source, BadLines& in_target) {
  LinePairs pairs{.source_name = source,
                  .target_name = target,
                  .source = usable_lines(source, options, in_source),
                  .target = usable_lines(target, options, in_target)};
  check_line_count(source, pairs.source.size(), target, pairs.target.size());
  return pairs;
}

}  // namespace glossa::commands
