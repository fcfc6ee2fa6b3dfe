#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace glossa {

// Limits for files of tensors, including checkpoints. They bound the memory that a damaged file can take.
inline constexpr std::uint64_t max_table_bytes = 16 << 20;  ///< maximum size of a header, table or directory in bytes
inline constexpr std::uint64_t max_tensors = 65'536;        ///< maximum number of tensors in a checkpoint or archive
inline constexpr std::size_t max_tensor_name = 1024;        ///< maximum bytes of a name; 255 in a checkpoint
inline constexpr std::size_t max_dims = 8;

/// True for a name that errors can show: at most max_tensor_name bytes, without control characters.
bool is_tensor_name(std::string_view name);

/// Size of an array in bytes: the product of all `dims` times `element`, the size of one element. Empty if the product
/// exceeds 64 bits.
std::optional<std::uint64_t> byte_length(std::uint64_t element, std::span<const std::uint64_t> dims);

/// A tensor in a file.
struct TensorEntry {
  std::string name;
  std::string dtype;                 ///< one of safetensors' names: F64, F32, F16, BF16, I64, I32, I8, U8 or BOOL
  std::vector<std::uint64_t> shape;  ///< empty for a scalar

  std::uint64_t count() const;  ///< number of elements
};

/// A tensor to write or to fill. The caller owns the memory of `values`. T is float or double, const or not.
template <class T>
struct NamedTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::span<T> values;

  /// True if the shape has as many numbers as `values`.
  bool fits() const { return byte_length(sizeof(T), shape) == values.size_bytes(); }
};

/// Bytes of one element; 0 for an unknown dtype.
std::uint64_t dtype_size(std::string_view dtype);

/// A shape as text: "[2, 3]".
std::string shape_text(std::span<const std::uint64_t> shape);

/// A file of named tensors, with a verified structure. safetensors.h implements one format; torch_file.h and npz_file.h
/// in base/formats/ implement others. Numbers are read on demand.
class TensorFile {
 public:
  virtual ~TensorFile() = default;
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;
  TensorFile(TensorFile&&) = default;
  TensorFile& operator=(TensorFile&&) = default;

  const std::filesystem::path& path() const { return path_; }

  /// Entries by name.
  const std::map<std::string, TensorEntry>& entries() const { return entries_; }

  /// True if two tensors occupy the same bytes of the file.
  virtual bool same_bytes(const std::string& a, const std::string& b) const { return a == b; }

  /// Callback for the next piece of a tensor's bytes, little-endian. A piece contains only whole elements.
  using Take = std::function<void(std::span<const std::byte>)>;

  /// Passes a tensor's bytes to `take`, in order. Throws like `read`.
  void pass_bytes(const std::string& name, const Take& take) const;

  /// Reads a tensor's elements in row-major order and converts them to T, which is float or double. F16 and BF16
  /// convert exactly; F64 is rounded if T is float. Throws if the tensor does not exist, if an F64 number exceeds the
  /// range of a float T, or if the file has been truncated. Also throws if the format has a checksum and the bytes do
  /// not match it.
  template <class T>
  std::vector<T> read(const std::string& name) const;

  /// Reads a tensor's elements into `values`, which must be as large as the tensor. Otherwise as the other `read`.
  template <class T>
  void read(const std::string& name, std::span<T> values) const;

 protected:
  static constexpr std::size_t piece_bytes = 256 << 10;  ///< maximum length of a piece

  /// Errors about the file's content show `hint`.
  TensorFile(std::filesystem::path path, std::string hint)
      : require_(path.string(), std::move(hint)), path_(std::move(path)) {}

  FileCheck require_;
  std::map<std::string, TensorEntry> entries_;

 private:
  virtual void read_bytes(const TensorEntry& entry, const Take& take) const = 0;
  const TensorEntry& entry(const std::string& name) const;

  std::filesystem::path path_;
};

}  // namespace glossa
