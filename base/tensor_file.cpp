#include "base/tensor_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.h"

namespace glossa {

namespace {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian in files, read without swaps");

float from_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

/// Converts a number with 1 sign, 5 exponent and 10 fraction bits (IEEE 754 binary16).
float from_float16(std::uint16_t bits) {
  const std::uint32_t size_bits = bits & 0x7FFF, infinity = 0x7C00;
  // Subnormal numbers are multiples of 2^-24. Their shifted bits would be a subnormal float, which a program that
  // embeds glossa may flush to 0.
  const float size = size_bits < 0x400       ? static_cast<float>(size_bits) * 0x1p-24F
                     : size_bits < infinity  ? std::bit_cast<float>(size_bits << 13) * 0x1p112F  // bias 15 to 127
                     : size_bits == infinity ? INFINITY
                                             : NAN;
  return std::copysign(size, bits >> 15 ? -1.0F : 1.0F);
}

template <class Stored, class T, class Meaning>
void convert(std::span<const std::byte> bytes, T* values, const Meaning& meaning) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(Stored); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
    values[i] = static_cast<T>(meaning(stored));
  }
}

template <class T>
void convert(std::string_view dtype, std::span<const std::byte> bytes, T* values) {
  const auto as_it_is = [](auto value) { return value; };
  if (dtype == "F64") convert<double>(bytes, values, as_it_is);
  if (dtype == "F32") convert<float>(bytes, values, as_it_is);
  if (dtype == "F16") convert<std::uint16_t>(bytes, values, from_float16);
  if (dtype == "BF16") convert<std::uint16_t>(bytes, values, from_bfloat16);
  if (dtype == "I64") convert<std::int64_t>(bytes, values, as_it_is);
  if (dtype == "I32") convert<std::int32_t>(bytes, values, as_it_is);
  if (dtype == "I8") convert<std::int8_t>(bytes, values, as_it_is);
  if (dtype == "U8" || dtype == "BOOL") convert<std::uint8_t>(bytes, values, as_it_is);
}

/// The first finite number in the bytes of an F64 tensor that became infinite in `values`; 0 if every number fits T.
template <class T>
double first_beyond_range(std::span<const std::byte> bytes, const T* values) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(double); ++i) {
    if (!std::isinf(values[i])) continue;
    double stored;
    std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
    if (!std::isinf(stored)) return stored;
  }
  return 0;
}

}  // namespace

bool is_tensor_name(std::string_view name) {
  return name.size() <= max_tensor_name &&
         std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

std::optional<std::uint64_t> byte_length(std::uint64_t element, std::span<const std::uint64_t> dims) {
  for (const std::uint64_t dim : dims)
    if (__builtin_mul_overflow(element, dim, &element)) return std::nullopt;
  return element;
}

std::uint64_t dtype_size(std::string_view dtype) {
  static const std::map<std::string_view, std::uint64_t> sizes{
      {"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}, {"I32", 4}, {"I8", 1}, {"U8", 1}, {"BOOL", 1}};
  const auto found = sizes.find(dtype);
  return found == sizes.end() ? 0 : found->second;
}

std::string shape_text(std::span<const std::uint64_t> shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::uint64_t TensorEntry::count() const { return byte_length(1, shape).value(); }

const TensorEntry& TensorFile::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  check(found != entries_.end(), path_.string(), "expected a tensor '{}'; not found", name);
  return found->second;
}

void TensorFile::pass_bytes(const std::string& name, const Take& take) const { read_bytes(entry(name), take); }

template <class T>
void TensorFile::read(const std::string& name, std::span<T> values) const {
  const TensorEntry& own = entry(name);
  check(values.size() == own.count(), path_.string(), "expected room for the {} numbers of '{}'; got {}", own.count(),
        name, values.size());
  T* next = values.data();
  double beyond = 0;
  read_bytes(own, [&](std::span<const std::byte> bytes) {
    convert(own.dtype, bytes, next);
    if (own.dtype == "F64" && beyond == 0) beyond = first_beyond_range(bytes, next);
    next += bytes.size() / dtype_size(own.dtype);
  });
  // Checked last: `read_bytes` has then verified that the bytes are undamaged.
  check(beyond == 0, path_.string(),
        "expected numbers of '{}' in float's range, up to 3.4e38; got {}. Hint: read them as double", name, beyond);
}

template <class T>
std::vector<T> TensorFile::read(const std::string& name) const {
  std::vector<T> values(entry(name).count());
  read(name, std::span(values));
  return values;
}

template void TensorFile::read(const std::string&, std::span<float>) const;
template void TensorFile::read(const std::string&, std::span<double>) const;
template std::vector<float> TensorFile::read(const std::string&) const;
template std::vector<double> TensorFile::read(const std::string&) const;

}  // namespace glossa
