#include "config/config_text.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/check.h"
#include "data/text/file_kind.h"
#include "data/text/text_file.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

constexpr std::size_t max_bytes = 1 << 20;

std::string_view kind_of_binary(std::string_view bytes) {
  constexpr std::size_t length_bytes = 8;
  if (bytes.starts_with("\x89GLS")) return "a checkpoint";
  if (bytes.starts_with("PK\x03\x04")) return "a ZIP archive, such as a model of PyTorch or an .npz file";
  if (bytes.starts_with("\x1F\x8B")) return "a gzip file";
  if (bytes.size() > length_bytes && bytes.substr(length_bytes).starts_with("{\"") && bytes[length_bytes - 1] == '\0')
    return "a safetensors file";
  return bytes.find('\0') != std::string_view::npos ? "a binary file" : "";
}

}  // namespace

std::string read_config_text(const std::string& path) {
  const std::filesystem::path in_run = std::filesystem::path(path) / "config.yaml";
  if (std::error_code none; std::filesystem::is_regular_file(in_run, none))
    misuse(path, "expected a configuration file; got the folder of a run. Hint: its options are in {}",
           in_run.string());
  std::string text = read_file_or_pipe(path, max_bytes);
  check_is_not_wide(text, path, true);
  if (const std::string_view kind = kind_of_binary(text); !kind.empty())
    misuse(path, "expected a configuration, which is a text in YAML; got {}. Hint: {}", kind,
           kind == "a checkpoint" ? "the options of its run are in the file config.yaml of the run's folder"
                                  : "recipes/ has examples");
  return text;
}

std::optional<TextFault> find_fault(std::string_view text) {
  const std::size_t nul = text.find('\0'), at = std::min(nul, utf8::find_invalid(text));
  if (at == text.npos) return {};
  return TextFault{1 + std::ranges::count(text.substr(0, at), '\n'), at == nul ? "a NUL byte" : "invalid UTF-8"};
}

}  // namespace glossa
