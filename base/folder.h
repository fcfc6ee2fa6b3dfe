#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace glossa {

/// Sorted names of a folder's entries; an empty path means the working folder. If reading fails, sets `failure` and
/// returns the names read before.
std::vector<std::string> names_in(const std::filesystem::path& folder, std::error_code& failure);

/// As the other overload, but ignores failures.
std::vector<std::string> names_in(const std::filesystem::path& folder);

/// Absolute, normalized path of a folder, without a trailing slash.
std::filesystem::path absolute_folder(const std::filesystem::path& folder);

}  // namespace glossa
