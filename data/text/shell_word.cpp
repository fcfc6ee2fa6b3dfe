#include "data/text/shell_word.h"

#include <fmt/core.h>

#include "base/printable.h"

namespace glossa {

std::string shell_word(std::string_view text) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-";
  if (!text.empty() && text.find_first_not_of(harmless) == text.npos) return std::string(text);
  const bool has_escapes = printable_line(text) != text;
  std::string word = "'";
  for (const char c : text)
    if (c == '\'')
      word += "'\\''";
    else if (has_escapes && (c < ' ' || c > '~' || c == '\\'))
      word += fmt::format("\\0{:03o}", static_cast<unsigned char>(c));
    else
      word += c;
  word += "'";
  return has_escapes ? fmt::format("\"$(printf %b {})\"", word) : word;
}

std::string shell_path(const std::filesystem::path& path) {
  const std::string name = path.string();
  return shell_word(name.starts_with('-') ? "./" + name : name);
}

std::string shell_command(std::initializer_list<CommandWord> words) {
  std::string line;
  for (const CommandWord& word : words) {
    if (!line.empty()) line += ' ';
    line += word.quoted;
  }
  return line;
}

std::filesystem::path unused_path(const std::filesystem::path& wanted) {
  std::filesystem::path path = wanted;
  std::error_code failure;
  for (int number = 2; std::filesystem::exists(path, failure); ++number)
    path.replace_filename(fmt::format("{}-{}{}", wanted.stem().string(), number, wanted.extension().string()));
  return path;
}

}  // namespace glossa
