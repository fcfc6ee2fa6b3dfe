#include "app/commands/line_pairs.h"

namespace glossa {

namespace {

std::vector<std::optional<std::string>> read_lines(const std::string& path, const TextOptions& options,
                                                   BadLines& bad_lines) {
  LineReader reader(path, options);
  std::vector<std::optional<std::string>> lines;
  for (std::optional<std::string> line; bad_lines.next(reader, line);) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

LinePairs read_line_pairs(const std::string& source, const std::string& target, const TextOptions& options,
                          BadLines& in_source, BadLines& in_target) {
  LinePairs pairs{.source_name = source,
                  .target_name = target,
                  .source = read_lines(source, options, in_source),
                  .target = read_lines(target, options, in_target)};
  check_line_count(source, pairs.source.size(), target, pairs.target.size());
  return pairs;
}

}  // namespace glossa
