#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "files/safetensors.h"

namespace glossa {

// Safetensors files with a checksum. Their metadata contain `crc32c`, 8 hexadecimal digits: the CRC-32C of the tensors
// in order of their names (each as "NAME DTYPE [DIMS]\n" and its bytes), followed by the other metadata in order
// of their keys (each as "KEY=VALUE\n"). So the checksum depends on the content, not on the order of the bytes.

/// Writes a file atomically, with its checksum. Throws as write_safetensors.
template <class T>
void save_tensors(const std::filesystem::path& path, const std::vector<NamedTensor<T>>& tensors,
                  std::map<std::string, std::string> metadata = {});

/// Opens a file. Throws as SafetensorsReader, or if the file has a checksum that does not match.
SafetensorsReader open_saved_tensors(const std::filesystem::path& path);

/// Fills `tensors` with the file's values, converted to T. Unless the file contains exactly these names and shapes,
/// throws before filling any tensor; the error lists the differences. If `ignored` is not empty, the file may also
/// contain tensors whose names begin with it.
template <class T>
void load_tensors(const SafetensorsReader& file, const std::vector<NamedTensor<T>>& tensors,
                  std::string_view ignored = {});

}  // namespace glossa
