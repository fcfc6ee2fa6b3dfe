#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// If `wanted` has 4 or more characters, the first name that begins with it. Otherwise the name with the smallest edit
/// distance in characters. Empty if no name is near.
std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names);

/// The existing path nearest to `wanted`. Each missing part is replaced by the nearest name. Empty if no name is near.
std::string nearest_path(const std::filesystem::path& wanted);

}  // namespace glossa
