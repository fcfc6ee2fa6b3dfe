#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace glossa::disk {

/// Kinds of system calls on a run's files. The test program defines these calls itself (calls.cpp), so that calls by
/// glossa and its libraries arrive there first.
enum class Kind { open, close, read, write, sync, rename, symlink, remove, make_folder, allocate, truncate, mark };

std::string_view name_of(Kind kind);

/// A call on a file or folder below the watched folder.
struct Call {
  Kind kind{};
  std::string path;         ///< relative to the watched folder, which is ""
  std::string text;         ///< bytes of a write, new path of a rename, or target of a link
  std::int64_t number = 0;  ///< offset of a write, size of allocate and truncate, number of a mark
  std::size_t handle = 0;   ///< identifies the `open` of the descriptor
  int flags = 0;            ///< of that `open`
  bool failed = false;
};

/// Readable form: "write run/train.log".
std::string text_of(const Call& call);

/// A disturbance of one call.
struct Fault {
  enum class Kind {
    none,
    fail,           ///< the call does nothing and fails with errno `code`
    shorten,        ///< a read or write processes half of its bytes
    garble,         ///< a write puts different bytes into the file
    kill,           ///< SIGKILL before the call
    kill_half_way,  ///< SIGKILL after half of the bytes of a write
  };
  Kind kind = Kind::none;
  std::size_t at = std::numeric_limits<std::size_t>::max();  ///< index of the call, from 0
  int code = 0;
};

/// While it lives, records the calls below a folder and injects one fault. Only one may exist at a time; it is not
/// thread-safe.
class Watch {
 public:
  explicit Watch(std::filesystem::path folder, Fault fault = {});
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  const std::vector<Call>& calls() const { return calls_; }

 private:
  friend struct Interposer;
  friend void mark(std::int64_t number);

  struct Descriptor {
    std::string path;
    std::size_t handle;
    int flags;
  };

  std::filesystem::path folder_;
  Fault fault_;
  std::size_t next_ = 0;  // the number of the next call; marks are not counted
  std::vector<Call> calls_;
  std::map<int, Descriptor> descriptors_;
};

/// Records a mark among the calls, if a Watch exists.
void mark(std::int64_t number);

}  // namespace glossa::disk
