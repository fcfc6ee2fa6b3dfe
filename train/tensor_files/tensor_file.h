#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// A tensor in a file.
struct TensorEntry {
  std::string name;
  std::string dtype;                 ///< in safetensors' terms: F64, F32, F16, BF16, I64, I32, I8, U8 or BOOL
  std::vector<std::uint64_t> shape;  ///< none for a scalar

  std::uint64_t count() const;  ///< elements
};

/// Maximum rank of a file's tensor.
inline constexpr std::size_t max_dims = 8;

/// Bytes of one element; 0 for an unknown dtype.
std::uint64_t dtype_size(std::string_view dtype);

/// "[2, 3]".
std::string shape_text(std::span<const std::uint64_t> shape);

/// A file of named tensors with a verified structure: safetensors.h, torch_file.h, npz_file.h. Numbers stay in the file
/// until they are read.
class TensorFile {
 public:
  virtual ~TensorFile() = default;
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;
  TensorFile(TensorFile&&) = default;
  TensorFile& operator=(TensorFile&&) = default;

  const std::filesystem::path& path() const { return path_; }

  /// By name.
  const std::map<std::string, TensorEntry>& entries() const { return entries_; }

  /// True if two tensors are the same bytes of the file.
  virtual bool same_bytes(const std::string& a, const std::string& b) const { return a == b; }

  /// Reads a tensor's elements, row-major, converted to T: float or double. F16 and BF16 convert exactly, F64 is
  /// rounded to float. Throws if there is no such tensor, if the file has been truncated, and if a format's checksum
  /// does not match the bytes.
  template <class T>
  std::vector<T> read(const std::string& name) const;

  /// Reads into the caller's memory, as large as the tensor.
  template <class T>
  void read(const std::string& name, std::span<T> values) const;

 protected:
  static constexpr std::size_t piece_bytes = 256 << 10;  ///< read at a time

  /// Takes consecutive pieces of a tensor's bytes, little-endian, each of whole elements.
  using Take = std::function<void(std::span<const std::byte>)>;

  explicit TensorFile(std::filesystem::path path) : path_(std::move(path)) {}

  std::map<std::string, TensorEntry> entries_;

 private:
  virtual void read_bytes(const TensorEntry& entry, const Take& take) const = 0;
  const TensorEntry& entry(const std::string& name) const;

  std::filesystem::path path_;
};

/// Opens a tensor file, of the kind that its first bytes show. Throws for other kinds, and as the readers do.
std::unique_ptr<TensorFile> open_tensors(const std::filesystem::path& path);

}  // namespace glossa
