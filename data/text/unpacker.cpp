#include "data/text/unpacker.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <span>
#include <utility>
#include <vector>

#include "base/check.h"

namespace glossa {
namespace {

/// Unpacks one or more members (of gzip) or frames (of zstd), and refuses any other data after them.
class MemberUnpacker : public Unpacker {
 public:
  std::size_t read(char* bytes, std::size_t size) final {
    for (;;) {
      if (packed_.empty()) packed_ = std::span(buffer_).first(read_(buffer_.data(), buffer_.size()));
      if (packed_.empty() && is_between_members_) return 0;
      if (const std::size_t count = unpack({bytes, size}); count > 0) return count;
    }
  }

 protected:
  MemberUnpacker(const std::string& name, std::string_view format, Read read)
      : name_(name), format_(format), read_(std::move(read)) {}

  void check_memory(bool ok) const { check(ok, name_, "cannot unpack the {} file: out of memory", format_); }

  void remove_packed(std::size_t count, bool ends_member) {
    packed_ = packed_.subspan(count);
    is_between_members_ = ends_member;
    if (ends_member) is_first_member_ = false;
  }

  /// Throws for damaged data or, if the data does not begin like a member, for foreign data.
  [[noreturn]] void refuse(bool begins_like_member, std::string_view reason) const {
    if (begins_like_member) fail(name_, "cannot unpack the {} file: {}", format_, reason);
    if (is_first_member_)
      fail(name_, "expected {} data; got something else. Hint: the name ends in {}", format_,
           name_.substr(unpacked_name(name_).size()));
    fail(name_, "expected only {} data; got other bytes after it. Hint: unpack the file and pack it again", format_);
  }

  std::span<char> packed_;  // bytes read but not yet unpacked; empty at the end of the file

 private:
  /// Consumes packed bytes and fills `bytes` until either runs out. Returns the number of bytes filled.
  virtual std::size_t unpack(std::span<char> bytes) = 0;

  std::string name_;
  std::string_view format_;
  Read read_;
  std::vector<char> buffer_ = std::vector<char>(1 << 16);
  bool is_first_member_ = true, is_between_members_ = false;
};

/// Unpacks gzip data. zlib's own file reader is not used, because it ignores trailing data.
class GzipUnpacker : public MemberUnpacker {
 public:
  GzipUnpacker(const std::string& name, Read read) : MemberUnpacker(name, "gzip", std::move(read)) {
    constexpr int only_gzip = 16;
    check_memory(::inflateInit2(&stream_, MAX_WBITS + only_gzip) == Z_OK);
  }
  ~GzipUnpacker() override { ::inflateEnd(&stream_); }
  GzipUnpacker(const GzipUnpacker&) = delete;
  GzipUnpacker& operator=(const GzipUnpacker&) = delete;

 private:
  std::size_t unpack(std::span<char> bytes) override {
    constexpr uLong magic_bytes = 2;
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    stream_.avail_in = static_cast<uInt>(packed_.size());
    stream_.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream_.avail_out = static_cast<uInt>(bytes.size());
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END)
      refuse(stream_.total_in > magic_bytes, code == Z_BUF_ERROR      ? "unexpected end of file"  // no input remains
                                             : stream_.msg != nullptr ? stream_.msg
                                                                      : ::zError(code));
    remove_packed(packed_.size() - stream_.avail_in, code == Z_STREAM_END);
    if (code == Z_STREAM_END) ::inflateReset(&stream_);
    return bytes.size() - stream_.avail_out;
  }

  z_stream stream_{};
};

/// Unpacks Zstandard data.
class ZstdUnpacker : public MemberUnpacker {
 public:
  ZstdUnpacker(const std::string& name, Read read) : MemberUnpacker(name, "zstd", std::move(read)) {
    check_memory(stream_ != nullptr);
  }

 private:
  std::size_t unpack(std::span<char> bytes) override {
    ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
    ZSTD_inBuffer in{packed_.data(), packed_.size(), 0};
    const std::size_t code = ZSTD_decompressStream(stream_.get(), &out, &in);
    if (ZSTD_isError(code)) refuse(ZSTD_getErrorCode(code) != ZSTD_error_prefix_unknown, ZSTD_getErrorName(code));
    if (packed_.empty() && out.pos == 0) refuse(true, "unexpected end of file");
    remove_packed(in.pos, code == 0);
    return out.pos;
  }

  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
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
