#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace glossa {

// Parts of shell commands in messages.

/// Quotes a text if necessary, so that a shell reads it back as one word. Bytes that messages do not print become
/// escapes for `printf`; line feeds at the end are lost.
std::string shell_word(std::string_view text);

/// Quotes a path, so that no program takes it for an option.
std::string shell_path(const std::filesystem::path& path);

/// Returns a path at which there is no file yet: `wanted`, or `wanted` with a number before its extension.
std::filesystem::path unused_path(const std::filesystem::path& wanted);

}  // namespace glossa
