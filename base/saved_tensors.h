#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/safetensors.h"

namespace glossa {

// Safetensors files with a checksum. The metadata key `crc32c` holds 8 hexadecimal digits: the CRC-32C of the following
// bytes. First come the tensors in the order of their names, each as "NAME DTYPE [DIMS]\n" and its bytes. Then come the
// other metadata keys in order, each as "KEY=VALUE\n". The checksum depends on the content, not on the order of the
// bytes in the file.

/// Writes a file atomically, with its checksum. Throws like write_safetensors.
template <class T>
void save_tensors(const std::filesystem::path& path, const std::vector<NamedTensor<T>>& tensors,
                  std::map<std::string, std::string> metadata = {});

/// Opens a file and verifies its checksum, if it has one. Throws like SafetensorsReader, and if the checksum does not
/// match.
SafetensorsReader open_saved_tensors(const std::filesystem::path& path);

/// Fills `tensors` with the file's values, converted to T. Throws, before filling any tensor, unless the file contains
/// exactly the names and shapes of `tensors`; the error lists the differences. The file may contain only one tensor of
/// a tied group. The file's metadata then maps each other name of the group to the name in the file, as
/// safetensors.torch.save_model writes it. If `ignored` is not empty, the file may also contain tensors whose names
/// begin with `ignored`.
template <class T>
void load_tensors(const SafetensorsReader& file, const std::vector<NamedTensor<T>>& tensors,
                  std::string_view ignored = {});

}  // namespace glossa
