#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/tensor_file.h"

namespace glossa {

// The safetensors format (github.com/huggingface/safetensors), which PyTorch and others use to exchange tensors:
//
//     8 bytes  length N of the header, little-endian
//     N bytes  JSON: {"__metadata__": {text: text}, NAME: {"dtype", "shape", "data_offsets": [begin, end]}, ...}
//     the rest: tensors, row-major and little-endian, without gaps or overlaps
//
// The format has no checksums. A flipped bit in a tensor goes unnoticed; one in the header is noticed only if it breaks
// a rule. saved_tensors.h adds a checksum.

/// A safetensors file with a verified structure. The file stays open, so replacing it does not affect the reader. Only
/// one thread may read at a time.
class SafetensorsReader : public TensorFile {
 public:
  /// Reads and verifies the header. The header may have at most 16 MiB, enough for about 100,000 tensors (the format
  /// allows more). It must be JSON of exactly the form above, without repeated keys. Dtypes must be known, lengths must
  /// match the shapes, and the tensors must fill the rest of the file without gaps or overlaps. Otherwise throws an
  /// Error that names the file and, if possible, the tensor. Uses memory of at most a few times the header's length.
  explicit SafetensorsReader(const std::filesystem::path& path);

  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  void read_bytes(const TensorEntry& entry, const Take& take) const override;

  mutable std::ifstream file_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, std::uint64_t> begins_;  // start of each tensor, in bytes from the start of the file
};

/// Writes a file atomically, with tensors as F32 or F64. With at most one metadata key, the bytes equal those of the
/// format's own library. (glossa sorts several keys; the library writes them in any order.) Throws if a name is
/// repeated, is not UTF-8, or has control characters. Also throws if a shape does not match its values, if the header
/// exceeds 16 MiB, or if the file cannot be written.
template <class T = const float>
void write_safetensors(const std::filesystem::path& path, std::vector<NamedTensor<T>> tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace glossa
