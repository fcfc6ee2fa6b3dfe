#include "app/commands/line_pairs.h"

#include "autograd/check.h"

namespace glossa {

namespace {

std::vector<std::optional<std::string>> read_lines(const std::string& path, const TextOptions& options,
                                                   const BadLines& bad_lines) {
  LineReader reader(path, options);
  std::vector<std::optional<std::string>> lines;
  for (bool more = true; more;) {
    std::string line;
    const bool good = bad_lines.pass([&] { more = reader.next(line); });
    if (more) lines.push_back(good ? std::optional(std::move(line)) : std::nullopt);
  }
  return lines;
}

}  // namespace

LinePairs read_line_pairs(const std::string& source, const std::string& target, const TextOptions& options,
                          const BadLines& in_source, const BadLines& in_target) {
  LinePairs pairs{.source = read_lines(source, options, in_source), .target = read_lines(target, options, in_target)};
  check(pairs.source.size() == pairs.target.size(), target,
        "expected as many lines as in {}, {}; got {}. Hint: line n of one file translates line n of the other", source,
        pairs.source.size(), pairs.target.size());
  return pairs;
}

}  // namespace glossa
