#include "base/saved_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/crc32c.h"

namespace glossa {

namespace {

constexpr const char* checksum_key = "crc32c";

std::uint32_t crc_of_text(const std::string& text, std::uint32_t crc) {
  return crc32c(std::as_bytes(std::span(text)), crc);
}

std::uint32_t crc_of_entry(const std::string& name, std::string_view dtype, std::span<const std::uint64_t> shape,
                           std::uint32_t crc) {
  return crc_of_text(fmt::format("{} {} {}\n", name, dtype, shape_text(shape)), crc);
}

/// Completes the checksum with the metadata; returns it as text.
std::string with_metadata(std::uint32_t crc, const std::map<std::string, std::string>& metadata) {
  for (const auto& [key, value] : metadata)
    if (key != checksum_key) crc = crc_of_text(fmt::format("{}={}\n", key, value), crc);
  return fmt::format("{:08x}", crc);
}

/// Returns "KIND: ITEM, ITEM", with at most five items and the number of the others; empty without items.
std::string listed(std::string_view kind, std::span<const std::string> items) {
  constexpr std::size_t max_items = 5;
  if (items.empty()) return {};
  return fmt::format("{}: {}{}", kind, fmt::join(items.first(std::min(items.size(), max_items)), ", "),
                     items.size() > max_items ? fmt::format(" and {} more", items.size() - max_items) : "");
}

std::string quoted(const std::string& name) { return fmt::format("'{:.100}'", name); }

/// A tensor's name in the file: its own, or that of the tensor it is tied to.
const std::string& name_in_file(const SafetensorsReader& file, const std::string& name) {
  if (file.entries().contains(name)) return name;
  const auto alias = file.metadata().find(name);
  return alias == file.metadata().end() ? name : alias->second;
}

template <class T>
void check_same_tensors(const SafetensorsReader& file, const std::vector<NamedTensor<T>>& tensors,
                        std::string_view ignored) {
  std::set<std::string> names;
  std::vector<std::string> missing, unexpected, other_shapes;
  for (const NamedTensor<T>& tensor : tensors) {
    const std::string& name = *names.insert(name_in_file(file, tensor.name)).first;
    check(tensor.fits(), tensor.name, "expected memory for shape {}; got {} numbers", shape_text(tensor.shape),
          tensor.values.size());
    const auto found = file.entries().find(name);
    if (found == file.entries().end())
      missing.push_back(quoted(tensor.name));
    else if (found->second.shape != tensor.shape)
      other_shapes.push_back(
          fmt::format("{} {}, not {}", quoted(tensor.name), shape_text(found->second.shape), shape_text(tensor.shape)));
  }
  for (const auto& [name, entry] : file.entries())
    if (!names.contains(name) && (ignored.empty() || !name.starts_with(ignored))) unexpected.push_back(quoted(name));

  std::vector<std::string> differences{listed("missing", missing), listed("unexpected", unexpected),
                                       listed("other shapes", other_shapes)};
  std::erase(differences, "");
  check(differences.empty(), file.path().string(),
        "expected the model's names and shapes; got {}. Hint: create the model and its optimizer as when saving",
        fmt::join(differences, "; "));
}

}  // namespace

template <class T>
void save_tensors(const std::filesystem::path& path, const std::vector<NamedTensor<T>>& tensors,
                  std::map<std::string, std::string> metadata) {
  std::vector<const NamedTensor<T>*> sorted;
  for (const NamedTensor<T>& tensor : tensors) sorted.push_back(&tensor);
  std::ranges::sort(sorted, {}, &NamedTensor<T>::name);
  std::uint32_t crc = 0;
  for (const NamedTensor<T>* tensor : sorted) {
    crc = crc_of_entry(tensor->name, sizeof(T) == sizeof(float) ? "F32" : "F64", tensor->shape, crc);
    crc = crc32c(std::as_bytes(tensor->values), crc);
  }
  metadata[checksum_key] = with_metadata(crc, metadata);
  write_safetensors(path, tensors, metadata);
}

SafetensorsReader open_saved_tensors(const std::filesystem::path& path) {
  SafetensorsReader file(path);
  const auto expected = file.metadata().find(checksum_key);
  if (expected == file.metadata().end()) return file;
  std::uint32_t crc = 0;
  for (const auto& [name, entry] : file.entries()) {
    crc = crc_of_entry(name, entry.dtype, entry.shape, crc);
    file.pass_bytes(name, [&](std::span<const std::byte> bytes) { crc = crc32c(bytes, crc); });
  }
  const std::string actual = with_metadata(crc, file.metadata());
  check(expected->second == actual, path.string(),
        "expected CRC32C {:.20}; got {}. Hint: the file is damaged, or another program changed its tensors and kept "
        "its metadata",
        expected->second, actual);
  return file;
}

template <class T>
void load_tensors(const SafetensorsReader& file, const std::vector<NamedTensor<T>>& tensors, std::string_view ignored) {
  check_same_tensors(file, tensors, ignored);
  std::vector<std::vector<T>> values;
  for (const NamedTensor<T>& tensor : tensors) values.push_back(file.read<T>(name_in_file(file, tensor.name)));
  for (std::size_t i = 0; i < tensors.size(); ++i) std::ranges::copy(values[i], tensors[i].values.begin());
}

#define GLOSSA_INSTANTIATE(T)                                                                  \
  template void save_tensors(const std::filesystem::path&, const std::vector<NamedTensor<T>>&, \
                             std::map<std::string, std::string>);                              \
  template void load_tensors(const SafetensorsReader&, const std::vector<NamedTensor<T>>&, std::string_view);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
