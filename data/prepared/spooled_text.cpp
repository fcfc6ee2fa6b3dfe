#include "data/prepared/spooled_text.h"

#include <limits>
#include <span>

#include "base/check.h"

namespace glossa {

SpooledText::SpooledText(const std::filesystem::path& folder)
    : text_(WrittenFile::nameless(folder)), index_(WrittenFile::nameless(folder)) {}

void SpooledText::add(const ParallelCorpus& block, std::uint32_t part) {
  for (std::size_t i = 0; i < block.source.size(); ++i) {
    const std::string_view source = block.source[i], target = block.target[i];
    const std::int64_t line = block.line(i);
    check(line <= std::numeric_limits<std::uint32_t>::max(), block.name,
          "expected at most 2^32 lines in a file; got more. Hint: divide it");
    if (size_++ % run == 0) positions_.push_back(text_.size());
    const Entry entry{static_cast<std::uint32_t>(source.size()), static_cast<std::uint32_t>(target.size()),
                      static_cast<std::uint32_t>(line), part};
    index_.write_items(std::span(&entry, 1));
    text_.write_items(std::span(source));
    text_.write_items(std::span(target));
  }
}

void SpooledText::finish() {
  text_.finish(/*durable=*/false);
  index_.finish(/*durable=*/false);
  mapped_text_.emplace(text_.descriptor().number(), text_.size(), text_.path(), MappedFile::Reading::parts);
  mapped_index_.emplace(index_.descriptor().number(), index_.size(), index_.path(), MappedFile::Reading::parts);
}

std::span<const SpooledText::Entry> SpooledText::entries() const {
  return {reinterpret_cast<const Entry*>(mapped_index_->bytes().data()), size_};
}

std::string_view SpooledText::text(std::size_t pair) const {
  thread_local std::uint32_t reads = 0;
  if (++reads % reads_kept == 0) {
    mapped_text_->release();
    mapped_index_->release();
  }
  const std::span<const Entry> all = entries();
  std::uint64_t position = positions_[pair / run];
  for (std::size_t i = pair / run * run; i < pair; ++i)
    position += std::uint64_t{all[i].source_bytes} + all[i].target_bytes;
  return {reinterpret_cast<const char*>(mapped_text_->bytes().data()) + position,
          std::size_t{all[pair].source_bytes} + all[pair].target_bytes};
}

std::string_view SpooledText::source(std::size_t pair) const {
  return text(pair).substr(0, entries()[pair].source_bytes);
}

std::string_view SpooledText::target(std::size_t pair) const { return text(pair).substr(entries()[pair].source_bytes); }

}  // namespace glossa
