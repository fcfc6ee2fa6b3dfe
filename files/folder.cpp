#include "files/folder.h"

#include <algorithm>

namespace glossa {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder, std::error_code& failure) {
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, failure), end; !failure && at != end;
       at.increment(failure))
    names.push_back(at->path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::error_code ignored;
  return names_in(folder, ignored);
}

}  // namespace glossa
