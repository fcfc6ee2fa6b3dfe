#include "data/prepared/pair_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/crc32c.h"
#include "base/parallel.h"

namespace glossa {

namespace {

[[noreturn]] void refuse_prepared(const std::filesystem::path& file, std::string_view found) {
  fail(file.string(), "expected a prepared corpus as it was written; got {}. Hint: prepare it again", found);
}

MappedFile map(const std::filesystem::path& file, std::uint64_t bytes) {
  const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.number() < 0) refuse_prepared(file, std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0 || static_cast<std::uint64_t>(status.st_size) != bytes)
    refuse_prepared(file, fmt::format("{} bytes in place of {}", status.st_size, bytes));
  return MappedFile(descriptor.number(), bytes, file, MappedFile::Reading::parts);
}

}  // namespace

PairFileWriter::PairFileWriter(const std::filesystem::path& folder)
    : ids_(WrittenFile::create(folder / "ids")),
      index_(WrittenFile::create(folder / "index")),
      hashes_(WrittenFile::create(folder / "hashes")) {}

void PairFileWriter::add(const IdPair& pair, std::uint64_t hash) {
  check(pair.source.size() <= PairFile::longest && pair.target.size() <= PairFile::longest, "PairFileWriter",
        "expected at most {} ids in a side; got {} and {}", PairFile::longest, pair.source.size(), pair.target.size());
  const auto bytes_of = [](std::span<const int> ids) { return std::as_bytes(ids); };
  const PairFile::Entry entry{static_cast<std::uint16_t>(pair.source.size()),
                              static_cast<std::uint16_t>(pair.target.size()),
                              crc32c(bytes_of(pair.target), crc32c(bytes_of(pair.source)))};
  ids_.write_items(pair.source);
  ids_.write_items(pair.target);
  index_.write_items(std::span(&entry, 1));
  hashes_.write_items(std::span<const std::uint64_t>(&hash, 1));
  ++sizes_.pairs;
  sizes_.ids += pair.source.size() + pair.target.size();
}

PairFileSizes PairFileWriter::finish() {
  for (WrittenFile* file : {&ids_, &index_, &hashes_}) file->finish(/*durable=*/true);
  sizes_.index_checksum = index_.checksum();
  sizes_.hashes_checksum = hashes_.checksum();
  return sizes_;
}

PairFile::PairFile(const std::filesystem::path& folder, const PairFileSizes& sizes)
    : folder_(folder),
      sizes_(sizes),
      ids_(map(folder / "ids", sizes.ids * sizeof(int))),
      index_(map(folder / "index", sizes.pairs * sizeof(Entry))),
      hashes_(map(folder / "hashes", sizes.pairs * sizeof(std::uint64_t))) {
  if (crc32c(index_.bytes()) != sizes.index_checksum) refuse_prepared(folder / "index", "another checksum");
  std::uint64_t position = 0;
  for (std::size_t i = 0; const Entry& entry : entries()) {
    if (i++ % run == 0) positions_.push_back(position);
    position += std::uint64_t{entry.source} + entry.target;
  }
  if (position != sizes.ids) refuse_prepared(folder / "index", "other lengths");
}

std::span<const int> PairFile::ids(std::size_t pair) const {
  const std::span<const Entry> all = entries();
  std::uint64_t position = positions_[pair / run];
  for (std::size_t i = pair / run * run; i < pair; ++i) position += std::uint64_t{all[i].source} + all[i].target;
  return {reinterpret_cast<const int*>(ids_.bytes().data()) + position,
          std::size_t{all[pair].source} + all[pair].target};
}

void PairFile::check_ids(std::size_t pair, std::span<const int> ids) const {
  if (crc32c(std::as_bytes(ids)) != entries()[pair].checksum)
    refuse_prepared(folder_ / "ids", fmt::format("another checksum of pair {}", pair + 1));
}

IdPair PairFile::pair(int i) const {
  const auto pair = static_cast<std::size_t>(i);
  const std::span<const int> both = ids(pair);
  check_ids(pair, both);
  if (++reads_ % reads_kept == 0) ids_.release();
  const std::size_t source = entries()[pair].source;
  return {both.first(source), both.subspan(source)};
}

void PairFile::read_ahead(std::span<const int> pairs) const {
  constexpr std::uintptr_t page = 4096;
  for (const int i : pairs) {
    const std::span<const std::byte> bytes = std::as_bytes(ids(static_cast<std::size_t>(i)));
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data()) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(bytes.data()) + bytes.size();
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_WILLNEED);
  }
}

std::span<const std::uint64_t> PairFile::hashes() const {
  return {reinterpret_cast<const std::uint64_t*>(hashes_.bytes().data()), sizes_.pairs};
}

void PairFile::release() const {
  index_.release();
  hashes_.release();
}

void PairFile::verify() const {
  parallel_ranges_in_order(size(), 4096, [&](Index begin, Index end) {
    for (auto pair = static_cast<std::size_t>(begin); pair < static_cast<std::size_t>(end); ++pair)
      check_ids(pair, ids(pair));
  });
  if (crc32c(hashes_.bytes()) != sizes_.hashes_checksum) refuse_prepared(folder_ / "hashes", "another checksum");
}

}  // namespace glossa
