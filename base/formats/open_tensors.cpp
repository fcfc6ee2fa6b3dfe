#include "base/formats/open_tensors.h"

#include <fstream>

#include "base/check.h"
#include "base/formats/npz_file.h"
#include "base/formats/torch_file.h"
#include "base/safetensors.h"

namespace glossa {

std::unique_ptr<TensorFile> open_tensors(const std::filesystem::path& path) {
  std::error_code code;
  const bool regular = std::filesystem::is_regular_file(path, code);
  check(regular, path.string(), "cannot read the tensors: {}. Hint: check the path",
        code ? code.message() : "not a regular file");
  std::string head(64, '\0');
  std::ifstream file(path, std::ios::binary);
  check(file.is_open(), path.string(), "cannot open the file. Hint: check its permissions");
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  if (head.starts_with(zip_magic)) {
    ZipFile zip(path);
    if (TorchFile::is_in(zip)) return std::make_unique<TorchFile>(std::move(zip));
    return std::make_unique<NpzFile>(std::move(zip));
  }
  if (head.starts_with(TorchFile::stream_magic)) return std::make_unique<TorchFile>(path);
  if (head.size() > 8 && head[8] == '{') return std::make_unique<SafetensorsReader>(path);
  const bool is_pointer = head.starts_with("version https://git-lfs");
  fail(path.string(), "expected a file of tensors: safetensors, torch.save or .npz; got {}. Hint: {}",
       is_pointer ? "a Git LFS pointer" : "another kind of file",
       is_pointer ? "fetch the file with `git lfs pull`" : "docs/exchange.md lists what can be imported");
}

}  // namespace glossa
