#include "data/text/wide_text.h"

#include <array>
#include <filesystem>

#include "base/check.h"
#include "data/text/shell_word.h"
#include "data/text/unpacker.h"

namespace glossa {
namespace {

constexpr std::size_t bytes_looked_at = 512, fewest_bytes = 8;

}  // namespace

std::string_view wide_encoding(std::string_view beginning) {
  using namespace std::string_view_literals;
  for (const std::string_view mark : {"\xFF\xFE\0\0"sv, "\0\0\xFE\xFF"sv})
    if (beginning.starts_with(mark)) return "UTF-32";
  for (const std::string_view mark : {"\xFF\xFE"sv, "\xFE\xFF"sv})
    if (beginning.starts_with(mark)) return "UTF-16";
  beginning = beginning.substr(0, bytes_looked_at);
  beginning.remove_suffix(beginning.size() % 4);
  if (beginning.size() < fewest_bytes) return {};
  std::array<std::size_t, 4> nuls{};  // by position in groups of four bytes
  for (std::size_t i = 0; i < beginning.size(); ++i) nuls[i % 4] += beginning[i] == '\0';
  const std::size_t groups = beginning.size() / 4;
  if (nuls[0] == 0 && nuls[2] == groups && nuls[3] == groups) return "UTF-32LE";
  if (nuls[3] == 0 && nuls[0] == groups && nuls[1] == groups) return "UTF-32BE";
  if (nuls[0] + nuls[2] == 0 && nuls[1] + nuls[3] >= groups) return "UTF-16LE";
  if (nuls[1] + nuls[3] == 0 && nuls[0] + nuls[2] >= groups) return "UTF-16BE";
  return {};
}

void check_is_not_wide(std::string_view beginning, std::string_view name, bool is_file) {
  const std::string_view encoding = wide_encoding(beginning);
  if (encoding.empty()) return;
  const std::string convert = shell_command({"iconv", "-f", encoding, "-t", "UTF-8"});
  const auto refuse = [&](const std::string& remedy) {
    fail(name, "expected UTF-8 text; got {}. Hint: {}", encoding, remedy);
  };
  std::error_code failure;
  const std::filesystem::path path(name);
  if (!is_file || !std::filesystem::is_regular_file(path, failure)) refuse("convert it first with " + convert);
  if (is_packed(name))  // the unpacked file is read in its place
    refuse(fmt::format("{} | {} > {}", shell_command({unpacking_program(name), "-cd", path}), convert,
                       shell_path(unused_path(path.parent_path() / path.stem()))));
  // The converted file gets the original's name, as the other side of a corpus has the same prefix.
  const std::filesystem::path old = unused_path(path.string() + ".old");
  refuse(fmt::format("{} && {} {} > {}", shell_command({"mv", path, old}), convert, shell_path(old), shell_path(path)));
}

}  // namespace glossa
