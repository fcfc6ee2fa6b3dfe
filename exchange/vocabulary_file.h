#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace glossa {

// Files that map tokens to ids: vocab.json of Hugging Face and vocab.yml of Marian.

/// Returns the tokens in order of their ids. The file must be a JSON object that maps 1 to 262,144 tokens to their ids.
/// The ids must be 0, 1, 2 and so on, in any order; no token and no id may occur twice. Otherwise throws an error that
/// names the file. Uses at most twice the file size plus 16 MiB of memory.
std::vector<std::string> read_json_vocabulary(const std::filesystem::path& path);

/// As read_json_vocabulary, but for a YAML map with `TOKEN: ID` on each line. Tokens are plain, single-quoted or
/// double-quoted. A token may also be on its own line after `? `, followed by a line `: ID`. Syntax errors name the
/// line.
std::vector<std::string> read_yaml_vocabulary(const std::filesystem::path& path);

/// Returns the tokens with their ids as a YAML map. PyYAML and yaml-cpp, and therefore Marian, read the same tokens
/// back. CTranslate2's converter also does, except for U+FFFE and U+FFFF, and for control characters (U+0000 to U+001F,
/// U+007F to U+009F) within a longer token. That converter decodes an escape only if it is the whole token.
std::string yaml_vocabulary(std::span<const std::string> tokens);

}  // namespace glossa
