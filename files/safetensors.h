#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "files/tensor_file.h"

namespace glossa {

// The safetensors format (github.com/huggingface/safetensors), in which PyTorch and others exchange tensors:
//
//     8 bytes  length N of the header, little-endian
//     N bytes  JSON: {"__metadata__": {text: text}, NAME: {"dtype", "shape", "data_offsets": [begin, end]}, ...}
//     the rest the tensors, row-major and little-endian, without holes and overlaps
//
// The format does not have checksums: a flipped bit in a tensor goes unnoticed, and one in the header is found only if
// it breaks a rule. saved_tensors.h adds a checksum.

/// A safetensors file with a verified structure. The file stays open, so replacing it by another file of that name does
/// not affect the reader. One thread at a time may read.
class SafetensorsReader : public TensorFile {
 public:
  /// Reads and verifies the header. The header must have at most 16 MiB (some 100,000 tensors; the format allows more).
  /// It must be JSON of exactly the form above, with every key once. Dtypes must be known, lengths must match the
  /// shapes, and offsets must tile the rest of the file. Otherwise throws an Error naming the file and the tensor.
  /// Memory stays within a few times the header's length.
  explicit SafetensorsReader(const std::filesystem::path& path);

  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  void read_bytes(const TensorEntry& entry, const Take& take) const override;

  mutable std::ifstream file_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, std::uint64_t> begins_;  // in bytes from the start of the file
};

/// A tensor to write or to fill; refers to the caller's values. T: float or double, const or not.
template <class T>
struct NamedTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::span<T> values;
};

/// Writes a file atomically, as F32 or F64. The bytes equal those that the format's own library writes, if there is at
/// most one metadata key. (That library writes several keys in any order; here they are sorted.) Throws if a name is
/// repeated, or is not UTF-8 without control characters, if a shape does not match its values, or if the file cannot be
/// written.
template <class T = const float>
void write_safetensors(const std::filesystem::path& path, std::vector<NamedTensor<T>> tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace glossa
