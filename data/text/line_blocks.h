#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "data/text/text_file.h"

namespace glossa {

/// Reads a file as LineReader does, but several thousand lines ahead, which all threads clean. For files that are read
/// to their end.
class LineBlocks {
 public:
  LineBlocks(const std::string& path, const TextOptions& options) : reader_(path, options) {}

  /// As LineReader::next.
  bool next(std::string& line);

  const std::string& name() const { return reader_.name(); }
  std::int64_t line_number() const { return line_number_; }          // of the last line, from 1
  std::int64_t replaced() const { return replaced_; }                // ill-formed pieces replaced so far
  std::string where() const { return reader_.place(line_number_); }  // file:line of the last line

 private:
  struct Line {
    std::string text;  // as in the file, then cleaned
    std::int64_t replaced = 0;
    std::exception_ptr error = {};
  };

  void read_block();

  LineReader reader_;
  std::vector<Line> block_;
  std::size_t next_ = 0, size_ = 0;  // of the block
  std::int64_t line_number_ = 0, replaced_ = 0;
  bool is_at_end_ = false;
};

}  // namespace glossa
