#include "data/left_out.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace glossa {

LeftOut& LeftOut::add(std::string_view name, std::int64_t count, std::string_view detail) {
  if (count == 0) return *this;
  auto reason = std::ranges::find(reasons_, name, &Reason::name);
  if (reason == reasons_.end()) reason = reasons_.insert(reason, {.name = std::string(name)});
  reason->count += count;
  if (!detail.empty()) reason->details.emplace_back(detail);
  return *this;
}

LeftOut& LeftOut::add(const LeftOut& more) {
  for (const Reason& reason : more.reasons_)
    add(reason.name, reason.count, fmt::format("{}", fmt::join(reason.details, ", ")));
  return *this;
}

std::vector<std::string> LeftOut::lines() const {
  std::vector<std::string> lines;
  for (const auto& [name, count, details] : reasons_)
    lines.push_back(details.empty() ? fmt::format("left out: {} {}", name, count)
                                    : fmt::format("left out: {} {} ({})", name, count, fmt::join(details, ", ")));
  return lines;
}

}  // namespace glossa
