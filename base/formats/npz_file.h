#pragma once

#include "base/formats/zip_file.h"
#include "base/tensor_file.h"

namespace glossa {

// NumPy's .npz archives, which Marian uses for its models. An archive is a zip with a file NAME.npy for each tensor.
// Each file begins with a header, a Python dict with type and shape; the numbers follow. Marian's special:model.yml is
// a tensor that holds the bytes of a text.

/// An archive whose structure has been verified. Its files have .npy version 1 to 3, C order, little-endian numbers and
/// one of the types of TensorEntry::dtype.
class NpzFile : public TensorFile {
 public:
  explicit NpzFile(ZipFile zip);

  /// Returns a tensor of bytes as text, without trailing zeros. Throws if the tensor has another type or exceeds
  /// `max_bytes`.
  std::string text(const std::string& name, std::uint64_t max_bytes) const;

 private:
  void read_bytes(const TensorEntry& entry, const Take& take) const override;

  ZipFile zip_;
  std::map<std::string, std::size_t> headers_;  // bytes before each tensor's numbers
};

/// Writes an uncompressed archive atomically, like numpy.savez. The tensors come first, in order, as F32. The texts
/// follow as tensors of bytes. The same input gives the same bytes. Throws if a name is repeated, a shape does not
/// match its values, the archive would exceed 4 GiB, or the file cannot be written.
void write_npz(const std::filesystem::path& path, std::span<const NamedTensor<const float>> tensors,
               const std::map<std::string, std::string>& texts = {});

}  // namespace glossa
