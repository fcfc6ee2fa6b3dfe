#pragma once

#include "train/tensor_files/tensor_file.h"
#include "train/tensor_files/zip_file.h"

namespace glossa {

// NumPy's archives, used by Marian for its models: a zip of NAME.npy, each a line of Python with type and shape, then
// the numbers. One of them is Marian's special:model.yml, whose numbers are the bytes of a text.

/// An archive with a verified structure: .npy of version 1 to 3, numbers in C order and little-endian, of the types
/// that tensors have here.
class NpzFile : public TensorFile {
 public:
  explicit NpzFile(ZipFile zip);

  /// Decodes a tensor of bytes as a text, without trailing zeros. Throws if it is not one or exceeds `most`.
  std::string text(const std::string& name, std::uint64_t max_bytes) const;

 private:
  void read_bytes(const TensorEntry& entry, const Take& take) const override;

  ZipFile zip_;
  std::map<std::string, std::size_t> headers_;  // bytes before the numbers
};

/// A tensor to write; the values are borrowed.
struct NpzTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::span<const float> values;
};

/// Writes an archive atomically: stored, like numpy.savez, the tensors in order as F32, then the texts as bytes. The
/// same input gives the same bytes. Throws if a name is repeated, a shape does not match its values, the archive would
/// exceed 4 GiB, or the file cannot be written.
void write_npz(const std::filesystem::path& path, std::span<const NpzTensor> tensors,
               const std::map<std::string, std::string>& texts = {});

}  // namespace glossa
