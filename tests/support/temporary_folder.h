#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glossa::testing {

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(bytes).str();
}

inline void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// A new folder for one test, removed with its contents at the end.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = parent / "glossa-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// Writes a file and returns its path.
  std::string write(std::string_view name, std::string_view bytes) const {
    write_bytes(path_ / name, bytes);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// The names in a folder, sorted.
inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

/// The text of the Exception that `act` throws; empty if it does not throw one.
template <class Exception, class Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

/// While an Unprivileged exists, root acts as an unprivileged user, so that file permissions apply to root as well.
class Unprivileged {
 public:
  Unprivileged() : restore_(geteuid() == 0 && seteuid(65534) == 0) {}
  ~Unprivileged() {
    if (restore_ && seteuid(0) != 0) std::abort();
  }

 private:
  bool restore_;
};

}  // namespace glossa::testing
