#include "base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <system_error>

#include "base/code_point.h"
#include "base/folder.h"

namespace glossa {
namespace {

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> all;
  utf8::for_each(text, [&](std::string_view bytes, const utf8::CodePoint&) { all.push_back(bytes); });
  return all;
}

/// Levenshtein distance, computed row by row.
std::size_t distance(const std::vector<std::string_view>& from, const std::vector<std::string_view>& to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const std::string_view c : from) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = diagonal + (c != to[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names) {
  const std::vector<std::string_view> spelled = characters(wanted);
  if (spelled.size() >= 4)  // `wanted` may be an abbreviation
    for (const std::string& name : names)
      if (name.starts_with(wanted)) return name;
  std::string nearest;
  std::size_t shortest = 2 * spelled.size() / 5 + 1;
  for (const std::string& name : names) {
    const std::size_t changes = distance(spelled, characters(name));
    if (changes >= shortest) continue;
    shortest = changes;
    nearest = name;
  }
  return nearest;
}

std::string nearest_path(const std::filesystem::path& wanted) {
  const std::filesystem::path path = wanted.has_filename() ? wanted : wanted.parent_path();
  std::filesystem::path folder = path.parent_path();
  std::error_code unknown;
  if (!folder.empty() && !std::filesystem::exists(folder, unknown)) {
    folder = nearest_path(folder);
    if (folder.empty()) return "";
  }
  const std::string name = nearest_name(path.filename().string(), names_in(folder));
  return name.empty() ? "" : (folder / name).string();
}

}  // namespace glossa
