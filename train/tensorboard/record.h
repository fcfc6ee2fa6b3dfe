#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace glossa {

/// Frames a TFRecord: the data's length in 8 bytes, its checksum in 4, the data, its checksum in 4; all numbers
/// little-endian. A checksum is CRC-32C, rotated and offset, so that data may contain checksums.
std::string as_record(std::string_view data);

/// Removes a file's first record and returns its data; empty at the end, or if torn or damaged: readers go no further.
std::optional<std::string_view> next_record(std::string_view& file);

/// True if a rest without a complete record is a record torn by a kill, or empty. Otherwise it is damaged.
bool is_torn(std::string_view rest);

}  // namespace glossa
