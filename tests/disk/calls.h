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

/// The system calls that a run makes on its files. The test program defines them itself (calls.cpp), so that calls of
/// glossa and of its libraries pass here first.
enum class Kind { open, close, read, write, sync, rename, symlink, remove, make_folder, allocate, truncate, mark };

std::string_view name_of(Kind kind);

/// A call on something below the watched folder.
struct Call {
  Kind kind{};
  std::string path;         ///< relative to the watched folder, "" for itself
  std::string text;         ///< the bytes of a write, the new path of a rename, a link's target
  std::int64_t number = 0;  ///< offset of a write, size of allocate and truncate, number of a mark
  std::size_t handle = 0;   ///< identifies a descriptor's open
  int flags = 0;            ///< of that open
  bool failed = false;
};

/// Readable form: "write run/train.log".
std::string text_of(const Call& call);

/// The fate of one call.
struct Fault {
  enum class Kind {
    none,
    fail,           ///< does nothing, and the call returns `code`
    shorten,        ///< a read or write does half of its bytes
    garble,         ///< a write puts different bytes into the file
    kill,           ///< SIGKILL before the call
    kill_half_way,  ///< SIGKILL after half of the bytes of a write
  };
  Kind kind = Kind::none;
  std::size_t at = std::numeric_limits<std::size_t>::max();  ///< which call, from 0
  int code = 0;
};

/// While it lives, records the calls below a folder and injects one fault. One at a time; not for threads.
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

/// Records a mark among the calls, if they are watched.
void mark(std::int64_t number);

}  // namespace glossa::disk
