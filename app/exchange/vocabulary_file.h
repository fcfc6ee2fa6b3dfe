#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace glossa {

// A vocabulary as a map from tokens to ids: vocab.json of Hugging Face, vocab.yml of Marian.

/// The tokens in id order. Throws naming the file unless it is a JSON object from texts to whole numbers that are 0, 1,
/// 2, ... in some order, each token and each number once; at most 262,144 of them. Memory stays within twice the file
/// and 16 MiB.
std::vector<std::string> read_json_vocabulary(const std::filesystem::path& path);

/// The same of a YAML map, `TOKEN: ID` a line. Tokens are plain, in single or in double quotes, or stand on a line of
/// their own behind `? `, with `: ID` below. Errors name the line.
std::vector<std::string> read_yaml_vocabulary(const std::filesystem::path& path);

}  // namespace glossa
