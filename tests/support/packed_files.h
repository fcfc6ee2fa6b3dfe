#pragma once

#include <doctest/doctest.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace glossa::testing {

inline void write_gzip(const std::string& path, const std::string& bytes) {
  gzFile file = ::gzopen(path.c_str(), "wb");
  REQUIRE(::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())) == static_cast<int>(bytes.size()));
  REQUIRE(::gzclose(file) == Z_OK);
}

/// One frame of Zstandard, with a checksum.
inline std::string zstd_frame(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  const std::size_t size = ZSTD_compress2(context, packed.data(), packed.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(context);
  REQUIRE_FALSE(ZSTD_isError(size));
  packed.resize(size);
  return packed;
}

/// A zip archive of these members (name, content), deflated.
inline std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& members) {
  const auto number = [](std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
    return text;
  };
  std::string archive, directory;
  for (const auto& [name, content] : members) {
    z_stream stream{};
    constexpr int raw = -15;
    REQUIRE(::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, raw, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string packed(::deflateBound(&stream, content.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
    packed.resize(stream.total_out);
    ::deflateEnd(&stream);
    const auto crc = ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
    // Version 2.0, no flags, deflated, no date.
    const std::string common = number(20, 2) + number(0, 2) + number(8, 2) + number(0, 4) + number(crc, 4) +
                               number(packed.size(), 4) + number(content.size(), 4) + number(name.size(), 2) +
                               number(0, 2);
    directory += "PK\x01\x02" + number(20, 2) + common + std::string(10, '\0') + number(archive.size(), 4) + name;
    archive += "PK\x03\x04" + common + name + packed;
  }
  const std::string end = "PK\x05\x06" + number(0, 4) + number(members.size(), 2) + number(members.size(), 2) +
                          number(directory.size(), 4) + number(archive.size(), 4) + number(0, 2);
  return archive + directory + end;
}

}  // namespace glossa::testing
