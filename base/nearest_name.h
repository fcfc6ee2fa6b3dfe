#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// The first name that begins with `wanted`, if `wanted` has at least 4 bytes. Without such a name, returns the name
/// with the smallest edit distance, in characters. Empty if this distance exceeds 2/5 of the length of `wanted`.
std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names);

/// The existing path nearest to `wanted`. Each missing part is replaced with the nearest_name in its folder. Empty if a
/// part has no near name.
std::string nearest_path(const std::filesystem::path& wanted);

}  // namespace glossa
