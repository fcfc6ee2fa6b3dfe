#include "base/formats/torch_file.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "base/check.h"

namespace glossa {

namespace {

using Kind = PickleValue::Kind;

constexpr const char* torch_hint = "the file is damaged, or not a state_dict from torch.save";
constexpr std::size_t max_pickle = 1 << 20;
constexpr std::string_view rebuild_tensor = "torch._utils _rebuild_tensor_v2",
                           rebuild_parameter = "torch._utils _rebuild_parameter", pickle_name = "data.pkl";

struct StorageKind {
  std::string_view name, dtype;
};
constexpr std::array<StorageKind, 5> storage_kinds{{{"torch FloatStorage", "F32"},
                                                    {"torch DoubleStorage", "F64"},
                                                    {"torch HalfStorage", "F16"},
                                                    {"torch BFloat16Storage", "BF16"},
                                                    {"torch LongStorage", "I64"}}};
constexpr std::array<std::string_view, 7> names{rebuild_tensor,        rebuild_parameter,     storage_kinds[0].name,
                                                storage_kinds[1].name, storage_kinds[2].name, storage_kinds[3].name,
                                                storage_kinds[4].name};

/// Reads a tuple of at most max_dims non-negative integers; returns false for anything else.
bool read_numbers(const PickleValue& value, std::vector<std::uint64_t>& numbers) {
  if (value.kind != Kind::tuple || value.items.size() > max_dims) return false;
  for (const PickleValue* item : value.items) {
    if (item->kind != Kind::integer || item->integer < 0) return false;
    numbers.push_back(static_cast<std::uint64_t>(item->integer));
  }
  return true;
}

/// True if elements with these strides are contiguous in row-major order.
bool is_contiguous(const std::vector<std::uint64_t>& shape, const std::vector<std::uint64_t>& strides) {
  std::uint64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

}  // namespace

bool TorchFile::is_in(const ZipFile& zip) {
  return std::ranges::any_of(zip.entries(), [](const auto& entry) { return entry.first.ends_with("/data.pkl"); });
}

TorchFile::TorchFile(ZipFile zip)
    : TensorFile(zip.path(), torch_hint), zip_(std::make_unique<ZipFile>(std::move(zip))) {
  for (const auto& [name, entry] : zip_->entries())
    if (name.ends_with("/data.pkl")) {
      require_(folder_.empty(), "expected one data.pkl; got more");
      folder_ = name.substr(0, name.size() - pickle_name.size());
    }
  if (zip_->entries().contains(folder_ + "byteorder")) {
    const std::string order = zip_->read(folder_ + "byteorder", 16);
    require_(order == "little", "expected numbers in little-endian order; got '{}'", shown(order));
  }
  const std::string bytes = zip_->read(folder_ + std::string(pickle_name), max_pickle);
  const Pickle pickle(bytes, names, path().string());
  add_tensors(pickle.root());
  for (const auto& [key, storage] : storages_) {
    const auto found = zip_->entries().find(folder_ + "data/" + key);
    require_(found != zip_->entries().end(), "expected the numbers of a storage in '{}data/{}'; not found", folder_,
             shown(key));
    require_(found->second.size == storage.count * dtype_size(storage.dtype),
             "expected '{}' to hold {} numbers in {}; got {} bytes", found->first, storage.count, storage.dtype,
             found->second.size);
  }
}

TorchFile::TorchFile(const std::filesystem::path& file_path) : TensorFile(file_path, torch_hint) {
  std::error_code code;
  const std::uint64_t file_size = std::filesystem::file_size(path(), code);
  std::ifstream file(path(), std::ios::binary);
  check(!code && file.is_open(), path().string(), "cannot open the file");
  std::string head(std::min<std::uint64_t>(file_size, 2 * max_pickle), '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  require_(bool(file) && head.starts_with(stream_magic), "expected the stream of torch.save; got something else");
  std::size_t at = stream_magic.size();
  const auto next = [&] {
    Pickle pickle(std::string_view(head).substr(at), names, path().string());
    at += pickle.size();
    return pickle;
  };
  const Pickle version = next();
  require_(version.root().kind == Kind::integer && version.root().integer == 1001,
           "expected version 1001 of torch.save's stream; got another");
  const Pickle machine = next();
  const auto& facts = machine.root().items;
  for (std::size_t i = 0; machine.root().kind == Kind::dict && i + 1 < facts.size(); i += 2)
    require_(facts[i]->text != "little_endian" || facts[i + 1]->integer == 1,
             "expected numbers in little-endian order; got big-endian ones");
  const Pickle tensors = next();
  add_tensors(tensors.root());
  const Pickle keys = next();
  require_(keys.root().kind == Kind::list && keys.root().items.size() == storages_.size(),
           "expected the keys of {} storages; not found", storages_.size());
  std::uint64_t begin = at;
  std::map<std::string, Storage> left = storages_;
  for (const PickleValue* key : keys.root().items) {
    const auto found = storages_.find(key->text);
    require_(key->kind == Kind::text && found != storages_.end() && left.erase(key->text) == 1,
             "expected the key of a storage, each once; got something else");
    Storage& storage = found->second;
    std::uint64_t count = 0;
    file.seekg(static_cast<std::streamoff>(begin));
    file.read(reinterpret_cast<char*>(&count), sizeof count);
    require_(bool(file) && count == storage.count, "expected a storage of {} numbers at byte {}; not found",
             storage.count, begin);
    storage.begin = begin + sizeof count;
    const std::uint64_t bytes = count * dtype_size(storage.dtype);
    require_(bytes <= file_size - storage.begin, "expected {} bytes of numbers at byte {}; got the end of the file",
             bytes, storage.begin);
    begin = storage.begin + bytes;
  }
}

void TorchFile::add_tensors(const PickleValue& root) {
  require_(root.kind == Kind::dict, "expected a dict of tensors; got another value");
  for (std::size_t i = 0; i < root.items.size(); i += 2) {
    const PickleValue& key = *root.items[i];
    require_(key.kind == Kind::text && is_tensor_name(key.text), "expected tensor names as texts; got another key");
    add_tensor(key.text, *root.items[i + 1]);
  }
}

void TorchFile::add_tensor(const std::string& name, const PickleValue& value) {
  const PickleValue* tensor = &value;
  if (value.kind == Kind::call && value.text == rebuild_parameter && !value.items.empty()) tensor = value.items[0];
  require_(tensor->kind == Kind::call && tensor->text == rebuild_tensor && tensor->items.size() >= 6,
           "expected a tensor as '{}'; got another value", shown(name));
  TensorEntry entry{.name = name, .dtype = {}, .shape = {}};
  std::vector<std::uint64_t> strides;
  const PickleValue& offset = *tensor->items[1];
  const bool ok = offset.kind == Kind::integer && offset.integer >= 0 && read_numbers(*tensor->items[2], entry.shape) &&
                  read_numbers(*tensor->items[3], strides) && strides.size() == entry.shape.size();
  require_(ok, "expected '{}' to have an offset, a shape and strides; got other values", shown(name));
  Place place{add_storage(name, *tensor->items[0]), static_cast<std::uint64_t>(offset.integer)};
  const Storage& storage = storages_.at(place.storage);
  entry.dtype = storage.dtype;
  const auto count = byte_length(1, entry.shape);
  require_(count && place.offset <= storage.count && *count <= storage.count - place.offset,
           "expected '{}' to lie within its storage of {} numbers; got the shape {} at {}", shown(name), storage.count,
           shape_text(entry.shape), place.offset);
  require_(*count == 0 || is_contiguous(entry.shape, strides),
           "expected '{}' to be contiguous; got the shape {} with strides {}. Hint: save tensor.contiguous()",
           shown(name), shape_text(entry.shape), shape_text(strides));
  require_(entries_.emplace(name, std::move(entry)).second, "expected every name once; got '{}' twice", shown(name));
  places_.emplace(name, std::move(place));
}

/// Adds the storage described by ('storage', KIND, KEY, device, count, ...); returns its key.
std::string TorchFile::add_storage(const std::string& name, const PickleValue& value) {
  const bool persistent = value.kind == Kind::persistent && value.items[0]->kind == Kind::tuple;
  require_(persistent && value.items[0]->items.size() >= 5, "expected '{}' to have a storage; got another value",
           shown(name));
  const auto& facts = value.items[0]->items;
  const bool view = facts.size() > 5 && facts[5]->kind != Kind::none;
  const bool ok = facts[0]->text == "storage" && facts[1]->kind == Kind::name && facts[2]->kind == Kind::text &&
                  facts[4]->kind == Kind::integer && facts[4]->integer >= 0 && !view;
  require_(ok, "expected '{}' to have a storage with a kind, a key and a length; got other values", shown(name));
  const auto kind = std::ranges::find(storage_kinds, facts[1]->text, &StorageKind::name);
  require_(kind != storage_kinds.end(), "expected a storage as '{}'; got another kind", shown(name));
  Storage storage{.dtype = std::string(kind->dtype), .count = static_cast<std::uint64_t>(facts[4]->integer)};
  const std::array<std::uint64_t, 1> counts{storage.count};
  require_(byte_length(dtype_size(storage.dtype), counts).has_value(),
           "expected '{}' to have a storage of a possible size; got a larger one", shown(name));
  const auto [place, is_new] = storages_.emplace(facts[2]->text, storage);
  require_(is_new || (place->second.dtype == storage.dtype && place->second.count == storage.count),
           "expected the storage of '{}' to be the same for all its tensors; got another kind or size", shown(name));
  return place->first;
}

bool TorchFile::same_bytes(const std::string& a, const std::string& b) const {
  return places_.at(a) == places_.at(b) && entries().at(a).shape == entries().at(b).shape;
}

void TorchFile::read_bytes(const TensorEntry& entry, const Take& take) const {
  const Place& place = places_.at(entry.name);
  const Storage& storage = storages_.at(place.storage);
  const std::uint64_t element = dtype_size(storage.dtype);
  std::uint64_t skip = place.offset * element, left = entry.count() * element;
  std::vector<std::byte> piece(std::min<std::uint64_t>(piece_bytes, std::max(skip, left)));
  const auto read_all = [&](const auto& read) {
    while (skip > 0 && left > 0) skip -= read(std::span(piece).first(std::min<std::uint64_t>(piece.size(), skip)));
    while (left > 0) {
      const std::span bytes = std::span(piece).first(std::min<std::uint64_t>(piece.size(), left));
      read(bytes);
      take(bytes);
      left -= bytes.size();
    }
  };
  if (zip_) {
    ZipStream stream = zip_->open(zip_->entries().at(folder_ + "data/" + place.storage));
    read_all([&](std::span<std::byte> bytes) { return stream.read(bytes); });
    return;
  }
  std::ifstream file(path(), std::ios::binary);
  file.seekg(static_cast<std::streamoff>(storage.begin + skip));
  skip = 0;
  read_all([&](std::span<std::byte> bytes) {
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    check(bool(file), path().string(), "cannot read {} bytes of '{}': the file ended or changed",
          entry.count() * element, shown(entry.name));
    return bytes.size();
  });
}

}  // namespace glossa
