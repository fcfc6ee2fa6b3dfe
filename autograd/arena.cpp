#include "autograd/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "autograd/poison.h"
#include "base/available_memory.h"
#include "base/check.h"

namespace glossa {

namespace {

constexpr std::size_t smallest_block = std::size_t{1} << 16;
constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::size_t max_unchecked = std::size_t{1} << 24;  // largest block made without checking available memory

std::size_t whole_pages(std::size_t bytes, std::size_t page) { return (bytes + page - 1) / page * page; }

}  // namespace

Arena::~Arena() { release(); }

void Arena::release() {
  for (const Block& block : blocks_) {
    unpoison(block.data, block.size);  // because a later mapping may reuse these addresses
    munmap(block.data, block.size);
  }
  blocks_.clear();
  current_ = 0;
}

/// Maps memory from the system, so that released memory leaves the process. Checks first that it is available, because
/// the system overcommits and would kill the process when the memory is touched.
void Arena::add_block(std::size_t size, std::size_t sure) {
  constexpr const char* hint = "use a smaller model, or fewer rows at a time";
  const std::size_t alignment = size >= huge_page ? huge_page : smallest_block;
  const std::size_t available = size > max_unchecked ? available_memory() : size;
  check(size <= available, "arena", "cannot allocate {} bytes: the machine has {} left. Hint: {}", size, available,
        hint);
  size = whole_pages(size, alignment);
  blocks_.reserve(blocks_.size() + 1);  // comes before mmap, because an exception after mmap would leak memory
  void* const mapped =
      mmap(nullptr, size + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  check(mapped != MAP_FAILED, "arena", "cannot allocate {} bytes: the machine has no more. Hint: {}", size, hint);
  const std::size_t address = reinterpret_cast<std::size_t>(mapped), ahead = whole_pages(address, alignment) - address;
  std::byte* const data = static_cast<std::byte*>(mapped) + ahead;
  if (ahead > 0) munmap(mapped, ahead);
  munmap(data + size, alignment - ahead);
  // Huge pages mean fewer TLB misses. Bytes that may stay unused get none, because a huge page is resident as a whole.
  if (sure >= huge_page) madvise(data, sure / huge_page * huge_page, MADV_HUGEPAGE);
  poison(data, size);
  blocks_.insert(blocks_.empty() ? blocks_.end() : blocks_.begin() + static_cast<std::ptrdiff_t>(current_) + 1,
                 {data, size});
  ++heap_allocations_;
}

/// Continues in a block with room for `bytes`: a free one or a new one.
void Arena::next_block(std::size_t bytes) {
  const bool first = blocks_.empty();
  const auto free = first ? blocks_.end() : blocks_.begin() + static_cast<std::ptrdiff_t>(current_) + 1;
  const auto roomy = std::find_if(free, blocks_.end(), [bytes](const Block& block) { return block.size >= bytes; });
  if (roomy != blocks_.end()) {
    std::iter_swap(free, roomy);
  } else {
    const std::size_t last = first ? smallest_block / 2 : blocks_.back().size;
    // Block sizes double up to 64 MiB. Larger blocks have exactly the requested size; untouched memory is never
    // resident.
    const std::size_t growth = std::min<std::size_t>(2 * last, std::size_t{1} << 26);
    const bool fits = growth <= max_unchecked || growth <= available_memory();
    add_block(fits ? std::max(bytes, growth) : bytes, bytes > growth ? bytes : 0);
  }
  used_before_ += used_;  // must come after add_block, which may throw
  used_ = 0;
  if (!first) ++current_;
}

void Arena::reserve(std::size_t bytes) {
  check(blocks_.empty(), "arena", "expected reserve() before allocations; got one after them");
  if (bytes > 0) add_block(bytes, bytes);
}

void* Arena::allocate(std::size_t bytes) {
  const std::size_t taken = rounded_up(std::max<std::size_t>(bytes, 1));
  if (blocks_.empty() || used_ + taken > blocks_[current_].size) next_block(taken);
  void* const result = blocks_[current_].data + used_;
  used_ += taken;
  peak_ = std::max(peak_, bytes_used());
  unpoison(result, bytes);
  return result;
}

void Arena::drop(std::span<std::byte> memory) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::size_t>(memory.data());
  const std::size_t ahead = whole_pages(address, page) - address;
  if (memory.size() < ahead + page) return;
  const std::size_t bytes = (memory.size() - ahead) / page * page;
  madvise(memory.data() + ahead, bytes, MADV_DONTNEED);
  madvise(memory.data() + ahead, bytes, MADV_NOHUGEPAGE);  // otherwise, one write may make a huge page resident
}

void Arena::go_back_to(const Mark& mark) {
  const std::size_t was_current = current_, was_used = used_;
  const bool before = current_ < mark.block_ || (current_ == mark.block_ && used_ <= mark.used_);
  if (mark.resets_ != resets_ || before) return;
  current_ = mark.block_;
  used_ = mark.used_;
  used_before_ = mark.used_before_;
  for (std::size_t i = current_; i <= was_current; ++i) {
    const std::size_t begin = i == current_ ? used_ : 0, end = i == was_current ? was_used : blocks_[i].size;
    if (wipes_) {
      unpoison(blocks_[i].data + begin, end - begin);  // memset also writes the gaps between allocations
      std::memset(blocks_[i].data + begin, 0xFF, end - begin);
    }
    poison(blocks_[i].data + begin, end - begin);
  }
}

void Arena::Mark::advance() {
  block_ = arena_->current_;
  used_ = arena_->used_;
  used_before_ = arena_->used_before_;
}

void Arena::reset() {
  ++resets_;
  current_ = used_ = used_before_ = 0;
  for (const Block& block : blocks_) poison(block.data, block.size);
  if (blocks_.size() > 1) {
    release();
    add_block(peak_, peak_);
  }
}

}  // namespace glossa
