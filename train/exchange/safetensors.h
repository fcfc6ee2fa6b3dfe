#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

// The safetensors format (github.com/huggingface/safetensors), in which PyTorch and others exchange tensors:
//
//     8 bytes  length N of the header, little-endian
//     N bytes  JSON: {"__metadata__": {text: text}, NAME: {"dtype", "shape", "data_offsets": [begin, end]}, ...}
//     the rest the tensors, row-major and little-endian, without holes and overlaps
//
// There is no checksum: a flipped bit of a tensor is not found, a flipped bit of the structure is where it breaks a
// rule.

/// A tensor of a safetensors file.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;                 ///< F64, F32, F16, BF16, I64, I32, U8 or BOOL
  std::vector<std::uint64_t> shape;  ///< none for a scalar
  std::uint64_t begin = 0, end = 0;  ///< in bytes from the start of the file

  std::uint64_t count() const;  ///< of elements
};

/// A file whose structure was checked.
class SafetensorsReader {
 public:
  /// Reads the header and checks all of it: its length (at most 16 MiB, some 100,000 tensors; the format allows more),
  /// JSON of exactly the form above with every key once, known dtypes, lengths that are those of the shapes, offsets
  /// that tile the rest of the file. Anything else is an Error that names the file and the tensor. Memory stays within
  /// a few times the length of the header.
  explicit SafetensorsReader(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  /// By name.
  const std::map<std::string, SafetensorsEntry>& entries() const { return entries_; }

  /// The elements of a tensor, converted to T: float or double. F16 and BF16 become exactly what they mean, F64 is
  /// rounded to a float. Throws if there is no such tensor or the file ended meanwhile.
  template <class T>
  std::vector<T> read(const std::string& name) const;

 private:
  std::filesystem::path path_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, SafetensorsEntry> entries_;
};

/// A float tensor to be written; the values are borrowed.
struct SafetensorsTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::span<const float> values;
};

/// Writes a file atomically, as F32: the bytes that the format's own library writes for the same tensors and at most
/// one key of metadata (more have no fixed order there, here they are sorted). Throws if a name comes twice, a shape
/// disagrees with its values or the file cannot be written.
void write_safetensors(const std::filesystem::path& path, std::vector<SafetensorsTensor> tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace glossa
