#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace glossa {

/// Makes a TFRecord of `data`: the data's length in 8 bytes, the length's checksum in 4, the data, the data's checksum
/// in 4. All numbers are little-endian. A checksum is CRC-32C, rotated and offset, because the data may itself contain
/// checksums.
std::string as_record(std::string_view data);

/// Removes the first record from `file` and returns its data. Returns an empty value at the end of the file, or if the
/// record is torn or damaged; readers stop there.
std::optional<std::string_view> next_record(std::string_view& file);

/// Judges `rest`, the end of a file after the last complete record. Returns true if `rest` is empty or a record torn by
/// a kill, false if it is damaged.
bool is_torn(std::string_view rest);

}  // namespace glossa
