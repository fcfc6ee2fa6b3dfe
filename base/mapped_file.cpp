#include "base/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace glossa {

MappedFile::MappedFile(int descriptor, std::size_t size, const std::filesystem::path& path) {
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (mapped == MAP_FAILED)
    fail(path.string(), "cannot map {} bytes into memory: {}. Hint: raise the limit (ulimit -v)", size,
         std::strerror(errno));
  bytes_ = {static_cast<std::byte*>(mapped), size};
}

MappedFile::~MappedFile() { munmap(bytes_.data(), bytes_.size()); }

}  // namespace glossa
