#include "files/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <system_error>

namespace glossa {

std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names) {
  if (wanted.size() >= 4)  // an abbreviated name
    for (const std::string& name : names)
      if (name.starts_with(wanted)) return name;
  std::string nearest;
  std::size_t shortest = 2 * wanted.size() / 5 + 1;
  for (const std::string& name : names) {
    // Levenshtein distance, computed row by row.
    std::vector<std::size_t> row(name.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (const char c : wanted) {
      std::size_t diagonal = row[0]++;
      for (std::size_t j = 1; j <= name.size(); ++j) {
        const std::size_t replaced = diagonal + (c != name[j - 1]);
        diagonal = row[j];
        row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row.back() >= shortest) continue;
    shortest = row.back();
    nearest = name;
  }
  return nearest;
}

std::string nearest_path(const std::filesystem::path& wanted) {
  const std::filesystem::path path = wanted.has_filename() ? wanted : wanted.parent_path();
  const std::filesystem::path folder = path.parent_path();
  std::vector<std::string> names;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, failure), end; !failure && entry != end;
       entry.increment(failure))
    names.push_back(entry->path().filename());
  std::ranges::sort(names);
  const std::string name = nearest_name(path.filename().string(), names);
  return name.empty() ? "" : (folder / name).string();
}

}  // namespace glossa
