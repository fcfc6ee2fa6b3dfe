#include "autograd/arena.h"

#include <sys/mman.h>

#include <algorithm>

#include "autograd/check.h"

namespace glossa {

namespace {
constexpr std::size_t smallest_block = std::size_t{1} << 16;
constexpr std::size_t huge_page = std::size_t{1} << 21;

std::size_t rounded_up(std::size_t bytes, std::size_t multiple) { return (bytes + multiple - 1) / multiple * multiple; }
}  // namespace

Arena::~Arena() { release(); }

void Arena::release() {
  for (const Block& block : blocks_) munmap(block.data, block.size);
  blocks_.clear();
}

/// From the system itself: what is given back does not stay with the process.
void Arena::add_block(std::size_t size, std::size_t sure) {
  const std::size_t alignment = size >= huge_page ? huge_page : smallest_block;
  size = rounded_up(size, alignment);
  void* const mapped =
      mmap(nullptr, size + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  check(mapped != MAP_FAILED, "arena",
        "expected {} bytes of memory; the machine has no more. Hint: a smaller model, or fewer rows a batch",
        size);
  const std::size_t address = reinterpret_cast<std::size_t>(mapped), ahead = rounded_up(address, alignment) - address;
  std::byte* const data = static_cast<std::byte*>(mapped) + ahead;
  if (ahead > 0) munmap(mapped, ahead);
  munmap(data + size, alignment - ahead);
  // Fewer TLB misses: a wish, not a need. Not for the end, as a page is resident as a whole.
  if (sure >= huge_page) madvise(data, sure / huge_page * huge_page, MADV_HUGEPAGE);
  blocks_.push_back({data, size});
  ++heap_allocations_;
}

void* Arena::allocate(std::size_t bytes) {
  bytes = rounded_up(std::max<std::size_t>(bytes, 1), alignment);
  if (blocks_.empty() || used_ + bytes > blocks_.back().size) {
    const std::size_t last = blocks_.empty() ? smallest_block / 2 : blocks_.back().size;
    // Doubling up to 64 MiB, then by what is asked for: memory that is never touched is never resident.
    const std::size_t growth = std::min<std::size_t>(2 * last, std::size_t{1} << 26);
    add_block(std::max(bytes, growth), bytes > growth ? bytes : 0);
    used_before_ += used_;  // now that it did not throw: what the blocks before hold stays in use
    used_ = 0;
  }
  void* result = blocks_.back().data + used_;
  used_ += bytes;
  peak_ = std::max(peak_, bytes_used());
  return result;
}

void Arena::reset() {
  used_ = used_before_ = 0;
  if (blocks_.size() > 1) {
    release();
    add_block(peak_, peak_);
  }
}

}  // namespace glossa
