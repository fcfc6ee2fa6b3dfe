#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace glossa {

/// Sorted names of a folder's entries; an empty path is the working folder. If the folder cannot be read, sets
/// `failure` and returns the names read until then.
std::vector<std::string> names_in(const std::filesystem::path& folder, std::error_code& failure);

/// As above, but ignores failures.
std::vector<std::string> names_in(const std::filesystem::path& folder);

/// Absolute, normal path of a folder, without a slash at its end.
std::filesystem::path absolute_folder(const std::filesystem::path& folder);

}  // namespace glossa
