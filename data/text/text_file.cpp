#include "data/text/text_file.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "data/text/byte_source.h"
#include "data/text/file_kind.h"
#include "data/text/stored_text.h"
#include "data/text/unpacker.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// True for a line that needs no cleaning. Scans the whole line in any case, so that the compiler can vectorize the
/// loop.
bool is_printable_ascii(std::string_view line) {
  bool is_printable = true;
  for (const char c : line) is_printable &= static_cast<unsigned char>(c) - 0x20U < 0x5F;
  return is_printable;
}

}  // namespace

std::string clean_line(std::string_view line, std::string_view where, const TextOptions& options,
                       std::int64_t* replaced) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (is_printable_ascii(line)) return std::string(line);
  const std::size_t nul = line.find('\0');
  if (nul != std::string_view::npos)
    throw LineError(fmt::format("{}:{}", where, nul + 1),
                    "expected text; got a NUL byte at byte {} of the line. Hint: this may be a binary or UTF-16 file",
                    nul + 1);
  std::string mended;
  if (const std::size_t bad = utf8::find_invalid(line); bad != std::string_view::npos) {
    if (options.invalid_utf8 == InvalidUtf8::refuse)
      throw LineError(fmt::format("{}:{}", where, bad + 1),
                      "expected valid UTF-8; got 0x{:02x} at byte {} of the line. Hint: convert the file, for example "
                      "with iconv -f WINDOWS-1252 -t UTF-8, or set InvalidUtf8::replace",
                      static_cast<unsigned char>(line[bad]), bad + 1);
    mended = utf8::replace_invalid(line, replaced);
    line = mended;
  }
  std::string result;
  result.reserve(line.size());
  std::size_t kept = 0, at = 0;  // bytes of the line copied to the result, and bytes read
  utf8::for_each(line, [&](std::string_view piece, utf8::CodePoint c) {
    if (c.value != ' ' && utf8::is_space(c.value) && !(options.keep_tabs && c.value == '\t')) {
      result.append(line.substr(kept, at - kept)).push_back(' ');
      kept = at + piece.size();
    }
    at += piece.size();
  });
  return result.append(line.substr(kept));
}

LineReader::LineReader(const std::string& path, const TextOptions& options)
    : source_(std::make_unique<ByteSource>(path)),
      name_(path),
      is_file_(true),
      options_(options),
      buffer_(ByteSource::usual_bytes) {}

LineReader::LineReader(int descriptor, const std::string& name, const TextOptions& options)
    : source_(std::make_unique<ByteSource>(descriptor, name)),
      name_(name),
      is_file_(false),
      options_(options),
      buffer_(ByteSource::usual_bytes) {}

LineReader::~LineReader() = default;

std::string LineReader::place(std::int64_t line) const { return fmt::format("{}:{}", name_, line); }

bool LineReader::refill() {
  begin_ = 0;
  end_ = source_->read(buffer_.data(), buffer_.size());
  read_ += end_;
  check(read_ <= options_.max_bytes, name_, "expected at most {} bytes of text; got more. Hint: use part of it",
        options_.max_bytes);
  if (std::exchange(is_at_start_, false)) {
    const std::string_view beginning(buffer_.data(), end_);
    check_is_plain(beginning, name_, is_file_);
    check_is_not_wide(beginning, name_, is_file_);
  }
  return end_ > 0;
}

bool LineReader::next_raw(std::string& line) {
  line.clear();
  if (begin_ == end_ && !refill()) return false;
  ++line_number_;
  std::size_t length = 0;
  const std::size_t endless = std::max(std::size_t{256} << 20, options_.max_line_bytes);
  for (bool more = true; more; more = refill()) {
    const char* from = buffer_.data() + begin_;
    const void* line_feed = std::memchr(from, '\n', end_ - begin_);
    const std::size_t piece =
        line_feed ? static_cast<std::size_t>(static_cast<const char*>(line_feed) - from) : end_ - begin_;
    length += piece;
    // An overlong line is not stored, but read to its end to report its length.
    if (length <= options_.max_line_bytes) line.append(from, piece);
    begin_ += piece;
    if (line_feed) {
      ++begin_;
      break;
    }
    if (length > endless) fail(where(), "expected text in lines that end with LF; got {} bytes without one", length);
  }
  if (length > options_.max_line_bytes)
    throw LineError(where(),
                    "expected at most {} bytes in a line; got {}. Hint: write one sentence per line, ended by LF",
                    options_.max_line_bytes, length);
  return true;
}

std::string LineReader::cleaned(std::string_view raw, std::int64_t line_number, std::int64_t& replaced) const {
  if (line_number > 1 && is_printable_ascii(raw)) return std::string(raw);
  std::string line = clean_line(raw, place(line_number), options_, &replaced);
  if (line_number == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
  return line;
}

bool LineReader::next(std::string& line) {
  if (!next_raw(raw_)) return false;
  line = cleaned(raw_, line_number_, replaced_);
  return true;
}

bool LineReader::would_wait() const {
  return std::memchr(buffer_.data() + begin_, '\n', end_ - begin_) == nullptr && source_->would_wait();
}

void LineBlocks::read_block() {
  constexpr std::size_t most = 1 << 13, most_bytes = 1 << 24;
  constexpr Index grain = 256;
  std::size_t bytes = 0;
  block_.resize(most);
  next_ = size_ = 0;
  while (size_ < most && bytes < most_bytes && !is_at_end_) {
    // Returns a partial block instead of waiting. One program may write both pipes of a corpus; it can be blocked until
    // the caller reads the other pipe.
    if (size_ > 0 && reader_.would_wait()) break;
    Line& line = block_[size_];
    line.error = {};
    try {
      is_at_end_ = !reader_.next_raw(line.text);
    } catch (const LineError&) {  // an overlong line
      line.error = std::current_exception();
    } catch (...) {  // the file cannot be read further
      line.error = std::current_exception();
      is_at_end_ = true;
      ++size_;
      break;
    }
    size_ += !is_at_end_;
    bytes += line.text.size();
  }
  parallel_ranges(static_cast<Index>(size_), grain, [&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      Line& line = block_[i];
      if (line.error) continue;
      line.replaced = 0;
      try {
        line.text = reader_.cleaned(line.text, line_number_ + static_cast<std::int64_t>(i) + 1, line.replaced);
      } catch (...) {
        line.error = std::current_exception();
      }
    }
  });
}

bool LineBlocks::next(std::string& line) {
  if (next_ == size_ && !is_at_end_) read_block();
  if (next_ == size_) return false;
  Line& read = block_[next_++];
  ++line_number_;
  if (read.error) std::rethrow_exception(std::exchange(read.error, {}));
  replaced_ += read.replaced;
  std::swap(line, read.text);
  return true;
}

std::vector<std::string> read_lines(const std::string& path, const TextOptions& options, std::int64_t* replaced) {
  LineReader reader(path, options);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(std::move(line));
  if (replaced) *replaced += reader.replaced();
  return lines;
}

std::string resolve(const std::string& path, std::string_view hint) {
  if (auto found = find_text(path)) return *found;
  fail(path, "expected {0}, {0}.gz or {0}.zst; not found. Hint: {1}", path, hint);
}

std::string read_file(const std::string& path, std::size_t max_bytes) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  if (std::filesystem::is_other(status)) fail(path, "expected a regular file; got a pipe, a socket or a device");
  if (std::filesystem::is_regular_file(status))
    if (const std::uintmax_t size = std::filesystem::file_size(path, none); !none && size > max_bytes)
      fail(path, "expected at most {} bytes; got {}", max_bytes, size);
  return read_file_or_pipe(path, max_bytes);
}

std::string read_file_or_pipe(const std::string& path, std::size_t max_bytes) {
  ByteSource file(path, ByteSource::Packing::none);
  std::string bytes;
  std::vector<char> buffer(ByteSource::usual_bytes);
  while (const std::size_t got = file.read(buffer.data(), buffer.size())) {
    check(bytes.size() + got <= max_bytes, path, "expected at most {} bytes; got more", max_bytes);
    bytes.append(buffer.data(), got);
  }
  return bytes;
}

}  // namespace glossa
