#pragma once

#include <span>
#include <string_view>

#include "base/formats/pickle.h"
#include "base/formats/zip_file.h"
#include "base/tensor_file.h"

namespace glossa {

// The two formats in which torch.save writes a state_dict:
//
//     zip     NAME/data.pkl, a pickle of names and tensors; NAME/data/KEY, the numbers of a storage; NAME/byteorder
//     stream  five pickles: a magic number, a version, properties of the machine, names and tensors, storage keys;
//             then each storage: its count of numbers in 8 bytes, and the numbers
//
// A tensor is a range of a storage; tied tensors share a storage.

/// A state_dict with a verified structure. It is an OrderedDict or dict of tensors and parameters, on storages of type
/// Float, Double, Half, BFloat16 or Long. Throws for any other name or opcode in the pickle. Also throws for a tensor
/// that is not contiguous or exceeds its storage. The error contains the name, opcode or tensor. Nothing in the pickle
/// is executed.
class TorchFile : public TensorFile {
 public:
  /// Opens a file in stream format.
  explicit TorchFile(const std::filesystem::path& path);

  /// Opens a file in zip format.
  explicit TorchFile(ZipFile zip);

  /// True if torch.save wrote the archive.
  static bool is_in(const ZipFile& zip);

  /// True for tied tensors: they have the same shape and begin at the same offset of the same storage.
  bool same_bytes(const std::string& a, const std::string& b) const override;

  /// First bytes of a file in stream format: the magic number, pickled in protocol 2.
  static constexpr std::string_view stream_magic{
      "\x80\x02\x8A\x0Al\xFC\x9C"
      "F\xF9 j\xA8P\x19.",
      15};

 private:
  /// Numbers that tensors may share, either a range of the stream or an entry of the zip archive.
  struct Storage {
    std::string dtype;
    std::uint64_t count = 0;  ///< number of elements
    std::uint64_t begin = 0;  ///< position in the file, in stream format
  };
  struct Place {
    std::string storage;
    std::uint64_t offset = 0;  ///< position in the storage, in numbers

    bool operator==(const Place&) const = default;
  };

  void add_tensors(const PickleValue& root);
  void add_tensor(const std::string& name, const PickleValue& value);
  std::string add_storage(const std::string& name, const PickleValue& value);
  void read_bytes(const TensorEntry& entry, const Take& take) const override;

  std::string folder_;  // folder inside the archive, with a trailing slash
  std::unique_ptr<const ZipFile> zip_;
  std::map<std::string, Storage> storages_;
  std::map<std::string, Place> places_;
};

}  // namespace glossa
