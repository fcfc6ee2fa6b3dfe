#include "base/folder.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace glossa {

namespace fs = std::filesystem;

// std::filesystem::directory_iterator is avoided: in libstdc++ 12 it ends the program if memory runs out.
std::vector<std::string> names_in(const fs::path& folder, std::error_code& failure) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.empty() ? "." : folder.c_str()), closedir);
  std::vector<std::string> names;
  errno = open ? 0 : errno;
  while (const dirent* const entry = open ? readdir(open.get()) : nullptr) {
    if (const std::string_view name = entry->d_name; name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  failure = {errno, std::generic_category()};
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::error_code ignored;
  return names_in(folder, ignored);
}

fs::path absolute_folder(const fs::path& folder) {
  const fs::path normal = fs::absolute(folder).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

}  // namespace glossa
