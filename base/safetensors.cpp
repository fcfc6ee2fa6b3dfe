#include "base/safetensors.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/atomic_file.h"
#include "base/check.h"

namespace glossa {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t prefix = 8, alignment = 8;
constexpr std::uint64_t zip_magic = 0x04034B50;  // "PK\3\4"
constexpr int max_values = 4096;                 // maximum number of dims or metadata texts in an entry
constexpr std::string_view metadata_key = "__metadata__";

/// Parses a list of at most max_dims non-negative integers.
std::vector<std::uint64_t> whole_numbers(const Json& list, const std::string& what, const FileCheck& require) {
  const bool ok = list.is_array() && list.size() <= max_dims &&
                  std::ranges::all_of(list, [](const Json& n) { return n.is_number_unsigned(); });
  require(ok, "expected {} to be a list of at most {} whole numbers; got {}", what, max_dims,
          list.dump().substr(0, 100));
  return list.get<std::vector<std::uint64_t>>();
}

/// A tensor and its byte range, counted from the header's end.
struct HeaderEntry {
  TensorEntry tensor;
  std::uint64_t begin = 0, end = 0;
};

HeaderEntry parse_entry(const std::string& name, const Json& json, const FileCheck& require) {
  const auto has = [&](const char* key) { return json.contains(key); };
  require(json.size() == 3 && has("dtype") && has("shape") && has("data_offsets"),
          "expected '{}' to have dtype, shape and data_offsets; got {}", name, json.dump().substr(0, 100));
  const Json& dtype = json["dtype"];
  require(dtype.is_string() && dtype != "I8" && dtype_size(dtype.get_ref<const std::string&>()) > 0,
          "expected '{}' to be F64, F32, F16, BF16, I64, I32, U8 or BOOL; got {}", name, dtype.dump().substr(0, 100));
  TensorEntry tensor{.name = name, .dtype = dtype, .shape = whole_numbers(json["shape"], name + ".shape", require)};
  const auto offsets = whole_numbers(json["data_offsets"], name + ".data_offsets", require);
  require(offsets.size() == 2 && offsets[0] <= offsets[1], "expected '{}' to have a begin and an end; got {}", name,
          json["data_offsets"].dump().substr(0, 100));
  const auto length = byte_length(dtype_size(tensor.dtype), tensor.shape);
  require(length && *length == offsets[1] - offsets[0],
          "expected '{}' to have the length of its shape {} in {}; got {} bytes", name, json["shape"].dump(),
          tensor.dtype, offsets[1] - offsets[0]);
  return {std::move(tensor), offsets[0], offsets[1]};
}

std::map<std::string, std::string> parse_metadata(const Json& json, const FileCheck& require) {
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : json.items()) {
    require(value.is_string(), "expected only texts in {}; got {}", metadata_key, value.dump().substr(0, 100));
    metadata[key] = value;
  }
  return metadata;
}

/// Parses the header and calls `take(name, object)` for each of its entries. Memory stays small for any text: entries
/// are not kept, and each has at most max_values values. Nesting is at most {"name": {"shape": [...]}}.
template <class Take>
void parse_header(const std::string& text, const FileCheck& require, const Take& take) {
  using Event = Json::parse_event_t;
  std::vector<std::set<std::string>> keys;  // keys of each enclosing object
  std::string name;
  int values = 0;
  const auto watch = [&](int depth, Event event, Json& value) {
    const bool fits = event == Event::object_start  ? depth <= 1
                      : event == Event::array_start ? depth == 2
                      : event == Event::value       ? depth >= 2 && ++values <= max_values
                                                    : true;
    require(fits, "expected '{}' to be an object, as the format requires; got another value", name);
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key) {
      const auto& key = value.get_ref<const std::string&>();
      require(is_tensor_name(key), "expected names of at most {} bytes without control characters; got {}",
              max_tensor_name, value.dump().substr(0, 100));
      require(keys.back().insert(key).second, "expected every name once; got '{}' twice", key);
      if (depth == 1) {
        name = key;
        values = 0;
      }
    }
    if (event != Event::object_end || depth != 1) return true;
    take(name, value);
    return false;
  };
  try {
    [[maybe_unused]] const Json nothing = Json::parse(text, watch);
  } catch (const Json::exception& reason) {
    require(false, "expected a header in JSON; got {}", std::string(reason.what()).substr(0, 200));
  }
}

/// Returns the header as text; throws for names and metadata that JSON cannot hold.
std::string json_text(const nlohmann::ordered_json& header, const std::filesystem::path& path) {
  try {
    return header.dump();
  } catch (const Json::exception&) {
    fail(path.string(), "expected names and metadata in UTF-8; got other bytes");
  }
}

/// Throws unless the tensors fill the data without gaps or overlaps.
void check_tiling(const std::vector<HeaderEntry>& entries, std::uint64_t size, const FileCheck& require) {
  std::vector<const HeaderEntry*> ordered;
  for (const HeaderEntry& entry : entries) ordered.push_back(&entry);
  std::ranges::sort(ordered, {}, [](const HeaderEntry* e) { return std::tie(e->begin, e->end, e->tensor.name); });
  std::uint64_t end = 0;
  for (const HeaderEntry* entry : ordered) {
    require(entry->begin == end, "expected '{}' to begin at byte {} of the data, without gap or overlap; got {}",
            entry->tensor.name, end, entry->begin);
    end = entry->end;
  }
  require(end == size, "expected {} bytes of data, as in the header; got {}", end, size);
}

}  // namespace

SafetensorsReader::SafetensorsReader(const std::filesystem::path& path)
    : TensorFile(path, "the file is damaged, or is not a safetensors file") {
  const std::string shown = path.string();
  std::error_code code;
  const std::uint64_t file_size = std::filesystem::file_size(path, code);
  check(!code, shown, "cannot read the file: {}. Hint: check the path", code.message());
  file_.open(path, std::ios::binary);
  std::uint64_t length = 0;
  file_.read(reinterpret_cast<char*>(&length), prefix);
  check(file_.is_open(), shown, "cannot open the file. Hint: check its permissions");
  require_(bool(file_), "expected at least 8 bytes; got {}", file_size);
  check((length & 0xFFFFFFFF) != zip_magic, shown,
        "expected a safetensors file; got a zip archive, as torch.save writes it. Hint: in Python, "
        "safetensors.torch.save_file(torch.load(FILE), NEW_FILE) converts a state_dict");
  require_(length <= file_size - prefix && length <= max_table_bytes,
           "expected a header of at most {} bytes, within the file; got {}", max_table_bytes, length);
  std::string text(length, '\0');
  file_.read(text.data(), static_cast<std::streamsize>(length));
  require_(file_ && text.starts_with('{'), "expected a header that begins with {{; got another beginning");
  // The parser would treat a zero byte as the end of the text.
  require_(text.find('\0') == text.npos, "expected a header in JSON; got a zero byte in it");
  std::vector<HeaderEntry> read;
  parse_header(text, require_, [&](const std::string& name, const Json& json) {
    if (name == metadata_key)
      metadata_ = parse_metadata(json, require_);
    else
      read.push_back(parse_entry(name, json, require_));
  });
  check_tiling(read, file_size - prefix - length, require_);
  for (HeaderEntry& entry : read) {
    begins_.emplace(entry.tensor.name, prefix + length + entry.begin);
    const std::string name = entry.tensor.name;
    entries_.emplace(name, std::move(entry.tensor));
  }
}

void SafetensorsReader::read_bytes(const TensorEntry& entry, const Take& take) const {
  file_.clear();  // clears the failure of an earlier read
  file_.seekg(static_cast<std::streamoff>(begins_.at(entry.name)));
  const std::uint64_t size = entry.count() * dtype_size(entry.dtype);
  std::vector<std::byte> piece(std::min<std::uint64_t>(piece_bytes, size));
  for (std::uint64_t left = size; left > 0;) {
    const std::span bytes = std::span(piece).first(std::min<std::uint64_t>(piece_bytes, left));
    file_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    check(bool(file_), path().string(), "cannot read {} bytes of '{}': the file ended or changed", size, entry.name);
    take(bytes);
    left -= bytes.size();
  }
}

template <class T>
void write_safetensors(const std::filesystem::path& path, std::vector<NamedTensor<T>> tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::ranges::sort(tensors, {}, &NamedTensor<T>::name);
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[std::string(metadata_key)] = metadata;
  std::uint64_t end = 0;
  for (const NamedTensor<T>& tensor : tensors) {
    const std::uint64_t begin = end;
    end += tensor.values.size_bytes();
    check(tensor.name != metadata_key && !header.contains(tensor.name), path.string(),
          "expected unique tensor names; got '{}' twice", tensor.name);
    check(is_tensor_name(tensor.name), path.string(),
          "expected tensor names of at most {} bytes without control characters; got {}", max_tensor_name,
          Json(tensor.name).dump(-1, ' ', true, Json::error_handler_t::replace));
    check(tensor.shape.size() <= max_dims, path.string(), "expected at most {} dimensions; got {} in '{}'", max_dims,
          tensor.shape.size(), tensor.name);
    check(tensor.fits(), path.string(), "expected as many values as the shape of '{}' has; got {}", tensor.name,
          tensor.values.size());
    header[tensor.name] = {
        {"dtype", sizeof(T) == 4 ? "F32" : "F64"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = json_text(header, path);
  text.resize((text.size() + alignment - 1) / alignment * alignment, ' ');
  check(text.size() <= max_table_bytes, path.string(), "expected a header of at most {} bytes; got {}", max_table_bytes,
        text.size());
  const std::uint64_t length = text.size();
  AtomicFile file(path, prefix + length + end);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(std::as_bytes(std::span(text)));
  for (const NamedTensor<T>& tensor : tensors) file.write(std::as_bytes(tensor.values));
  file.commit();
}

#define GLOSSA_INSTANTIATE(T)                                                                \
  template void write_safetensors(const std::filesystem::path&, std::vector<NamedTensor<T>>, \
                                  const std::map<std::string, std::string>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(const float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
