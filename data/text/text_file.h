#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"

namespace glossa {

class ByteSource;

/// An error in one line of a text. Later lines can still be read.
class LineError : public Error {
 public:
  explicit LineError(Parts parts) : Error(Kind::failure, std::move(parts)) {}

  template <class... Args>
  LineError(std::string_view where, Sentence<Args...> sentence, const Args&... args)
      : LineError(Parts::of(where, sentence, args...)) {}
};

/// Receives the errors of lines that are left out. It may rethrow an error, which ends the work.
using LineErrorHandler = std::function<void(const LineError& error)>;

/// Calls `act`; returns true if `act` succeeds. If `act` throws a LineError, passes it to `handler` and returns false;
/// without a handler, the error passes through. Other exceptions always pass through.
template <class Act>
bool pass_line(const LineErrorHandler& handler, Act act) {
  try {
    act();
    return true;
  } catch (const LineError& error) {
    if (!handler) throw;
    handler(error);
    return false;
  }
}

/// Treatment of bytes that are not UTF-8. `refuse` throws an error that names file, line and byte. `replace` replaces
/// them with U+FFFD and counts the replacements.
enum class InvalidUtf8 { refuse, replace };

struct TextOptions {
  std::size_t max_line_bytes = std::size_t{1} << 20;  // longer lines are errors, to limit memory
  InvalidUtf8 invalid_utf8 = InvalidUtf8::refuse;
  bool keep_tabs = false;                                           // true: a TAB stays, for files with columns
  std::size_t max_bytes = std::numeric_limits<std::size_t>::max();  // longer texts are errors
};

/// Returns `line` in the form that the rest of the program expects: valid UTF-8 without a trailing CR. Every Unicode
/// space (TAB, U+00A0, U+2028, a CR inside the line, ...) becomes a plain space; with `keep_tabs`, a TAB stays. Throws
/// LineError at `where` (`file:line`) for a NUL byte, and for invalid UTF-8 unless `options` replaces it. If `replaced`
/// is not null, adds the number of replacements to `*replaced`.
std::string clean_line(std::string_view line, std::string_view where, const TextOptions& options,
                       std::int64_t* replaced = nullptr);

/// Reads a text line by line from a file, a pipe or a member of a zip archive (stored_text.h). The text may be packed
/// (name ends in `.gz` or `.zst`). Only LF ends a line; the last line needs no LF. A byte order mark before the first
/// line is dropped. Memory use is at most `max_line_bytes` plus one buffer. Throws, naming the file, if it is missing,
/// unreadable, a directory, or in UTF-16 or UTF-32. Also throws if its packed data is damaged or truncated, or if the
/// text has more than `max_bytes`. Also throws for a device such as /dev/zero, and for 256 MiB without an LF, because
/// such a text may be endless. Throws LineError for an overlong line, and for a line that `clean_line` refuses.
class LineReader {
 public:
  LineReader(const std::string& path, const TextOptions& options);

  /// Reads from an open descriptor (0 is standard input) and leaves it open. Errors refer to it as `name`.
  LineReader(int descriptor, const std::string& name, const TextOptions& options);
  ~LineReader();

  /// Reads the next line and cleans it; returns false at the end of the file. Returns as soon as a line is complete, so
  /// a program can answer a pipe line by line. After a LineError, the next call reads the next line.
  bool next(std::string& line);

  /// True if `next` would have to wait for a writer: no line is buffered, and the pipe or terminal has no bytes ready.
  bool would_wait() const;

  const std::string& name() const { return name_; }
  std::int64_t line_number() const { return line_number_; }  // number of the last line read, from 1
  std::int64_t replaced() const { return replaced_; }        // number of ill-formed pieces replaced so far
  std::string place(std::int64_t line) const;                // file:line
  std::string where() const { return place(line_number_); }  // place of the last line read

 private:
  friend class LineBlocks;

  bool refill();

  /// `next` has two steps. `next_raw` reads a line without cleaning it. `cleaned` returns the clean form of line
  /// `line_number` and adds to `replaced`; several threads may call it at once.
  bool next_raw(std::string& line);
  std::string cleaned(std::string_view raw, std::int64_t line_number, std::int64_t& replaced) const;

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  bool is_file_, is_at_start_ = true;
  TextOptions options_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0, read_ = 0;  // `read_`: bytes of text read
  std::string raw_;
  std::int64_t line_number_ = 0;
  std::int64_t replaced_ = 0;
};

/// Reads a file like LineReader, but reads several thousand lines ahead and cleans them with all threads. Meant for
/// files that are read to their end.
class LineBlocks {
 public:
  LineBlocks(const std::string& path, const TextOptions& options) : reader_(path, options) {}

  /// As LineReader::next.
  bool next(std::string& line);

  const std::string& name() const { return reader_.name(); }
  std::int64_t line_number() const { return line_number_; }          // number of the last line read, from 1
  std::int64_t replaced() const { return replaced_; }                // number of ill-formed pieces replaced so far
  std::string where() const { return reader_.place(line_number_); }  // file:line of the last line read

 private:
  struct Line {
    std::string text;  // first as in the file, later cleaned
    std::int64_t replaced = 0;
    std::exception_ptr error = {};
  };

  void read_block();

  LineReader reader_;
  std::vector<Line> block_;
  std::size_t next_ = 0, size_ = 0;  // position in the block, and its number of lines
  std::int64_t line_number_ = 0, replaced_ = 0;
  bool is_at_end_ = false;
};

/// Reads all lines of a file and cleans them. If `replaced` is not null, adds the number of replacements to
/// `*replaced`. Throws like LineReader.
std::vector<std::string> read_lines(const std::string& path, const TextOptions& options = {},
                                    std::int64_t* replaced = nullptr);

/// Returns `path` if it exists, otherwise `path` with the ending of a packed text. If neither exists, throws an Error
/// that ends with the hint.
std::string resolve(const std::string& path, std::string_view hint = "check the path");

/// Reads a whole file, such as a vocabulary or a model, without unpacking. Throws if it is not a regular file, or,
/// before reading it, if it has more than `max_bytes`.
std::string read_file(const std::string& path, std::size_t max_bytes = std::size_t{1} << 30);

/// Reads a file or a pipe to its end. Throws if it has more than `max_bytes`.
std::string read_file_or_pipe(const std::string& path, std::size_t max_bytes);

}  // namespace glossa
