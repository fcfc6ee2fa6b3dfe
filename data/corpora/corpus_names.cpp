#include "data/corpora/corpus_names.h"

#include <fmt/ranges.h>

#include <charconv>

#include "base/check.h"

namespace glossa {

std::optional<std::int64_t> toy_pairs(std::string_view key, std::string_view location) {
  constexpr std::string_view toy = "toy:";
  if (!location.starts_with(toy)) return std::nullopt;
  const char* const end = location.data() + location.size();
  std::int64_t pairs = 0;
  const auto [rest, error] = std::from_chars(location.data() + toy.size(), end, pairs);
  if (error != std::errc() || rest != end || pairs < 1)
    misuse(key, "expected toy:PAIRS such as toy:50000; got '{}'", location);
  return pairs;
}

std::optional<std::int64_t> toy_pairs_alone(std::string_view key, const CorpusNames& names) {
  std::optional<std::int64_t> pairs;
  for (const std::string& name : names) pairs = toy_pairs(key, name);
  return names.size() == 1 ? pairs : std::nullopt;
}

std::string CorpusNames::text() const { return fmt::format("{}", fmt::join(*this, ", ")); }

}  // namespace glossa
