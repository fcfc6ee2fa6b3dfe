#pragma once

#include <fmt/core.h>

#include <concepts>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace glossa {

// Shell commands in messages, for users to paste.

/// Quotes a text if necessary, so that a shell reads it as one word. Bytes that messages do not print become escapes
/// for `printf`; trailing line feeds are lost.
std::string shell_word(std::string_view text);

/// Quotes a path, so that no program mistakes it for an option.
std::string shell_path(const std::filesystem::path& path);

/// One word of a command, quoted for a shell: text, a number or a path. Quoted paths cannot be mistaken for options.
struct CommandWord {
  template <std::convertible_to<std::string_view> Text>
  CommandWord(const Text& text) : quoted(shell_word(text)) {}
  CommandWord(std::integral auto number) : quoted(fmt::format("{}", number)) {}
  CommandWord(const std::filesystem::path& path) : quoted(shell_path(path)) {}

  std::string quoted;
};

/// Joins words into a command that a shell splits into the same words. Use it for every command in a message that
/// contains a path or a value: `shell_command({"glossa", "train", "--resume", std::filesystem::path(run)})`.
std::string shell_command(std::initializer_list<CommandWord> words);

/// Returns a path without an existing file: `wanted`, or `wanted` with a number before its extension.
std::filesystem::path unused_path(const std::filesystem::path& wanted);

}  // namespace glossa
