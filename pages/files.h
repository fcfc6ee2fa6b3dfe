#pragma once

#include <string_view>
#include <vector>

namespace glossa {

/// A file of this folder, embedded in the program. The build generates the list (cmake/embed.cmake).
struct PageFile {
  std::string_view name, text;
};
extern const std::vector<PageFile> page_files;

}  // namespace glossa
