#pragma once

#include "train/tensor_files/tensor_file.h"
#include "train/tensor_files/zip_file.h"

namespace glossa {

// NumPy's archives, in which Marian keeps its models: a zip of NAME.npy, each a line of Python that says type and
// shape, then the numbers. Marian's special:model.yml is one of them, whose numbers are the bytes of a text.

/// An archive whose structure was checked: .npy of version 1 to 3, numbers in C order and little-endian, of the types
/// that tensors have here.
class NpzFile : public TensorFile {
 public:
  explicit NpzFile(ZipFile zip);

  /// The bytes of a tensor of bytes as a text, without zeros at the end. Throws if it is none or has more than `most`.
  std::string text(const std::string& name, std::uint64_t most) const;

 private:
  void read_bytes(const TensorEntry& entry, const Take& take) const override;

  ZipFile zip_;
  std::map<std::string, std::size_t> headers_;  // bytes before the numbers
};

/// A tensor to be written; the values are borrowed.
struct NpzTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::span<const float> values;
};

/// Writes an archive atomically: stored, as numpy.savez does, the tensors in their order as F32, then the texts as
/// bytes. The same input gives the same bytes. Throws if a name comes twice, a shape disagrees with its values, the
/// archive had more than 4 GiB, or the file cannot be written.
void write_npz(const std::filesystem::path& path, std::span<const NpzTensor> tensors,
               const std::map<std::string, std::string>& texts = {});

}  // namespace glossa
