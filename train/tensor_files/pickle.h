#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// Contents of a pickle, as data. Classes and functions are names, a call is its name with its arguments: nothing is
/// looked up and nothing runs.
struct PickleValue {
  enum class Kind {
    none,
    boolean,
    integer,
    text,
    tuple,
    list,
    dict,        ///< items: key, value, key, value, ...
    name,        ///< text: "module name"
    call,        ///< text: the name; items: the arguments
    persistent,  ///< items: the one value that stands for an object outside
  };

  Kind kind = Kind::none;
  std::int64_t integer = 0;
  std::string text{};
  std::vector<const PickleValue*> items{};
};

/// Beginning of a file's text for an error, in characters that every terminal shows.
std::string shown(std::string_view text);

/// Reads one pickle with the opcodes of a state_dict: protocol 2 without floats, own classes and extensions. A value
/// may contain itself: traverse with care.
class Pickle {
 public:
  /// Reads from the front of `bytes`. `names` are allowed, as "module name"; `collections OrderedDict` always is, and
  /// becomes a dict. Throws naming `where` and the byte for every other name, any other opcode, shown by its name, and
  /// a bad ending. Memory stays within twice the bytes and 16 MiB.
  Pickle(std::string_view bytes, std::span<const std::string_view> names, const std::string& where);

  const PickleValue& root() const { return *root_; }

  /// Number of bytes read.
  std::size_t size() const { return size_; }

 private:
  friend class PickleMachine;
  std::deque<PickleValue> values_;
  const PickleValue* root_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace glossa
