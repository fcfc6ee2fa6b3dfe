#include "base/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace glossa {

MappedFile::MappedFile(int descriptor, std::size_t size, const std::filesystem::path& path, Reading reading) {
  if (size == 0) return;
  const int flags = MAP_SHARED | (reading == Reading::all ? MAP_POPULATE : 0);
  void* const mapped = mmap(nullptr, size, PROT_READ, flags, descriptor, 0);
  if (mapped == MAP_FAILED)
    fail(path.string(), "cannot map {} bytes into memory: {}. Hint: raise the limit (ulimit -v)", size,
         std::strerror(errno));
  bytes_ = {static_cast<std::byte*>(mapped), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

void MappedFile::release() const {
  if (!bytes_.empty()) madvise(bytes_.data(), bytes_.size(), MADV_DONTNEED);
}

}  // namespace glossa
