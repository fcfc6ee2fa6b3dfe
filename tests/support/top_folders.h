#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace glossa::testing {

/// Returns the names of the folders at the top of the sources, except hidden folders, builds and runs.
inline std::set<std::string> top_folders() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(GLOSSA_SOURCE_DIR)) {
    const std::string name = entry.path().filename();
    if (entry.is_directory() && !name.starts_with('.') && !name.starts_with("build") && name != "runs")
      names.insert(name);
  }
  return names;
}

}  // namespace glossa::testing
