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
  std::string dtype;                 ///< as safetensors calls it: F64, F32, F16, BF16, I64, I32, I8, U8 or BOOL
  std::vector<std::uint64_t> shape;  ///< none for a scalar

  std::uint64_t count() const;  ///< of elements
};

/// What a file may give a tensor.
inline constexpr std::size_t max_dims = 8;

/// Bytes of one element; 0 for an unknown dtype.
std::uint64_t dtype_size(std::string_view dtype);

/// "[2, 3]".
std::string shape_text(std::span<const std::uint64_t> shape);

/// A file of named tensors whose structure was checked: safetensors.h, torch_file.h, npz_file.h. Numbers stay in the
/// file until they are read.
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

  /// Whether two tensors are the same bytes of the file.
  virtual bool same_bytes(const std::string& a, const std::string& b) const { return a == b; }

  /// The elements of a tensor in their order, row-major, converted to T: float or double. F16 and BF16 become exactly
  /// what they mean, F64 is rounded to a float. Throws if there is no such tensor, if the file ended meanwhile, and
  /// where a format has checksums for bytes that are not what they were.
  template <class T>
  std::vector<T> read(const std::string& name) const;

  /// The same into memory of the caller's, as large as the tensor.
  template <class T>
  void read(const std::string& name, std::span<T> values) const;

 protected:
  static constexpr std::size_t piece_bytes = 256 << 10;  ///< read at a time

  /// Gets consecutive pieces of a tensor's bytes, little-endian, each of whole elements.
  using Take = std::function<void(std::span<const std::byte>)>;

  explicit TensorFile(std::filesystem::path path) : path_(std::move(path)) {}

  std::map<std::string, TensorEntry> entries_;

 private:
  virtual void read_bytes(const TensorEntry& entry, const Take& take) const = 0;
  const TensorEntry& entry(const std::string& name) const;

  std::filesystem::path path_;
};

/// Opens a file of tensors; what it is its first bytes say. Throws for any other kind of file, and as the readers do.
std::unique_ptr<TensorFile> open_tensors(const std::filesystem::path& path);

}  // namespace glossa
