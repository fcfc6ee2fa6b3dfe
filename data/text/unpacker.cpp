#include "data/text/unpacker.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <utility>
#include <vector>

#include "base/check.h"

namespace glossa {
namespace {

constexpr std::size_t packed_bytes = 1 << 16;

/// Unpacks gzip data: one or more members, and nothing else. (zlib's own reader of files ignores what follows them.)
class GzipUnpacker : public Unpacker {
 public:
  GzipUnpacker(const std::string& name, Read read) : name_(name), read_(std::move(read)) {
    constexpr int only_gzip = 16;
    check(::inflateInit2(&stream_, MAX_WBITS + only_gzip) == Z_OK, name_, "cannot unpack the gzip file: out of memory");
  }
  ~GzipUnpacker() override { ::inflateEnd(&stream_); }
  GzipUnpacker(const GzipUnpacker&) = delete;
  GzipUnpacker& operator=(const GzipUnpacker&) = delete;

  std::size_t read(char* bytes, std::size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(bytes);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0) refill();
      if (stream_.avail_in == 0 && is_between_members_) return 0;
      inflate();
    }
    return size - stream_.avail_out;
  }

 private:
  void refill() {
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(read_(buffer_.data(), buffer_.size()));
  }

  /// Takes input and leaves output as far as both have room.
  void inflate() {
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    is_between_members_ = code == Z_STREAM_END;
    if (is_between_members_) {
      is_first_member_ = false;
      ::inflateReset(&stream_);
    } else if (code != Z_OK) {
      refuse(code);
    }
  }

  [[noreturn]] void refuse(int code) const {
    constexpr uLong magic_bytes = 2;
    if (stream_.total_in > magic_bytes)
      fail(name_, "cannot unpack the gzip file: {}",
           code == Z_BUF_ERROR      ? "unexpected end of file"  // neither input nor output is left
           : stream_.msg != nullptr ? stream_.msg
                                    : ::zError(code));
    if (is_first_member_) fail(name_, "expected gzip data; got something else. Hint: the name ends in .gz");
    fail(name_, "expected only gzip data; got other bytes after it. Hint: unpack the file and pack it again");
  }

  std::string name_;
  Read read_;
  std::vector<char> buffer_ = std::vector<char>(packed_bytes);
  z_stream stream_{};
  bool is_first_member_ = true, is_between_members_ = false;
};

/// Unpacks Zstandard data: one or more frames, and nothing else.
class ZstdUnpacker : public Unpacker {
 public:
  ZstdUnpacker(const std::string& name, Read read) : name_(name), read_(std::move(read)) {
    check(stream_ != nullptr, name_, "cannot unpack the zstd file: out of memory");
  }

  std::size_t read(char* bytes, std::size_t size) override {
    ZSTD_outBuffer out{bytes, size, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size) refill();
      if (in_.size == 0 && is_between_frames_) return 0;
      unpack(out);
    }
    return out.pos;
  }

 private:
  void refill() { in_ = {buffer_.data(), read_(buffer_.data(), buffer_.size()), 0}; }

  /// Takes input and leaves output as far as both have room.
  void unpack(ZSTD_outBuffer& out) {
    const std::size_t code = ZSTD_decompressStream(stream_.get(), &out, &in_);
    if (ZSTD_isError(code)) refuse(code);
    if (in_.size == 0 && out.pos == 0) fail(name_, "cannot unpack the zstd file: unexpected end of file");
    is_between_frames_ = code == 0;
    if (is_between_frames_) is_first_frame_ = false;
  }

  [[noreturn]] void refuse(std::size_t code) const {
    if (ZSTD_getErrorCode(code) != ZSTD_error_prefix_unknown)
      fail(name_, "cannot unpack the zstd file: {}", ZSTD_getErrorName(code));
    if (is_first_frame_) fail(name_, "expected zstd data; got something else. Hint: the name ends in .zst");
    fail(name_, "expected only zstd data; got other bytes after it. Hint: unpack the file and pack it again");
  }

  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  std::string name_;
  Read read_;
  std::vector<char> buffer_ = std::vector<char>(packed_bytes);
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
  ZSTD_inBuffer in_{};
  bool is_first_frame_ = true, is_between_frames_ = false;
};

}  // namespace

std::string_view unpacked_name(std::string_view name) {
  for (const std::string_view ending : packed_endings)
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

std::string_view unpacking_program(std::string_view name) {
  return name.ends_with(".gz") ? "gzip" : name.ends_with(".zst") ? "zstd" : "";
}

std::unique_ptr<Unpacker> make_unpacker(const std::string& name, Unpacker::Read read) {
  if (name.ends_with(".gz")) return std::make_unique<GzipUnpacker>(name, std::move(read));
  if (name.ends_with(".zst")) return std::make_unique<ZstdUnpacker>(name, std::move(read));
  return {};
}

}  // namespace glossa
