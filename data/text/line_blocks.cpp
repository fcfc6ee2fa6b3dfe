#include "data/text/line_blocks.h"

#include <utility>

#include "base/parallel.h"

namespace glossa {

void LineBlocks::read_block() {
  constexpr std::size_t most = 1 << 13, most_bytes = 1 << 24;
  constexpr Index grain = 256;
  std::size_t bytes = 0;
  block_.resize(most);
  next_ = size_ = 0;
  while (size_ < most && bytes < most_bytes && !is_at_end_) {
    if (size_ > 0 && reader_.would_wait()) break;  // the writer may be waiting for the reader of another pipe
    Line& line = block_[size_];
    line.error = {};
    try {
      is_at_end_ = !reader_.next_raw(line.text);
    } catch (const LineError&) {  // of an overlong line
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

}  // namespace glossa
