#pragma once

#include "base/formats/zip_file.h"
#include "base/tensor_file.h"

namespace glossa {

// NumPy's .npz archives, which Marian uses for its models. An archive is a zip with a file NAME.npy for each tensor.
// Such a file has a header, which is a Python dict with type and shape, followed by the numbers. Marian's
// special:model.yml is a tensor whose numbers are the bytes of a text.

/// An archive whose structure has been verified. Its files are .npy of version 1 to 3, in C order, little-endian, with
/// the types of TensorEntry::dtype.
class NpzFile : public TensorFile {
 public:
  explicit NpzFile(ZipFile zip);

  /// Returns a tensor of bytes as text, without trailing zeros. Throws if the tensor has another type or exceeds
  /// `max_bytes`.
  std::string text(const std::string& name, std::uint64_t max_bytes) const;

 private:
  void read_bytes(const TensorEntry& entry, const Take& take) const override;

  ZipFile zip_;
  std::map<std::string, std::size_t> headers_;  // bytes before the numbers
};

/// Writes an archive atomically, uncompressed as by numpy.savez. The tensors come first, in order, as F32. The texts
/// follow as tensors of bytes. The same input gives the same bytes. Throws if a name is repeated, a shape does not
/// match its values, the archive would exceed 4 GiB, or the file cannot be written.
void write_npz(const std::filesystem::path& path, std::span<const NamedTensor<const float>> tensors,
               const std::map<std::string, std::string>& texts = {});

}  // namespace glossa
