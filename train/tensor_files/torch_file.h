#pragma once

#include <span>
#include <string_view>

#include "train/tensor_files/pickle.h"
#include "train/tensor_files/tensor_file.h"
#include "train/tensor_files/zip_file.h"

namespace glossa {

// Output of torch.save for a state_dict, in both of its formats:
//
//     zip     NAME/data.pkl, a pickle of names and tensors; NAME/data/KEY, the numbers of a storage; NAME/byteorder
//     stream  the pickles of a magic number, a version, what the machine was like, names and tensors, the keys of the
//             storages; then each storage: 8 bytes count, its numbers
//
// A tensor is a piece of a storage; tied tensors share one.

/// A state_dict with a verified structure: OrderedDict or dict of tensors and parameters on storages of Float, Double,
/// Half, BFloat16 and Long. Every other name or opcode in the pickle is an Error that shows it. So is a tensor that is
/// not contiguous or exceeds its storage. Nothing is executed.
class TorchFile : public TensorFile {
 public:
  /// A stream.
  explicit TorchFile(const std::filesystem::path& path);

  /// A zip.
  explicit TorchFile(ZipFile zip);

  /// True if torch.save wrote the archive.
  static bool is_in(const ZipFile& zip);

  /// True for tied tensors: one shape at one place.
  bool same_bytes(const std::string& a, const std::string& b) const override;

  /// Start of a stream: protocol 2, the magic number, the end of its pickle.
  static constexpr std::string_view stream_magic{
      "\x80\x02\x8A\x0Al\xFC\x9C"
      "F\xF9 j\xA8P\x19.",
      15};

 private:
  /// Numbers shared by tensors, in the file or in an entry of the archive.
  struct Storage {
    std::string dtype;
    std::uint64_t count = 0;  ///< of numbers
    std::uint64_t begin = 0;  ///< in the file, of a stream
  };
  struct Place {
    std::string storage;
    std::uint64_t offset = 0;  ///< in numbers

    bool operator==(const Place&) const = default;
  };

  void add_tensors(const PickleValue& root);
  void add_tensor(const std::string& name, const PickleValue& value);
  std::string add_storage(const std::string& name, const PickleValue& value);
  void read_bytes(const TensorEntry& entry, const Take& take) const override;

  std::string folder_;  // in the archive, with its slash
  std::unique_ptr<const ZipFile> zip_;
  std::map<std::string, Storage> storages_;
  std::map<std::string, Place> places_;
};

}  // namespace glossa
