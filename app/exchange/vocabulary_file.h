#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace glossa {

// A vocabulary as a map from tokens to ids: vocab.json of Hugging Face, vocab.yml of Marian.

/// The tokens in id order. Throws naming the file unless it is a JSON object from strings to whole numbers that are 0,
/// 1, 2, ... in any order, each token and number once; at most 262,144 of them. Uses at most twice the file size plus
/// 16 MiB of memory.
std::vector<std::string> read_json_vocabulary(const std::filesystem::path& path);

/// As above for a YAML map, `TOKEN: ID` per line. Tokens are plain, single-quoted or double-quoted, or stand on their
/// own line after `? `, with `: ID` below. Errors name the line.
std::vector<std::string> read_yaml_vocabulary(const std::filesystem::path& path);

}  // namespace glossa
