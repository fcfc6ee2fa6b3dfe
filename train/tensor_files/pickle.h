#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// What a pickle says, as data. Classes and functions are names, a call of one is its name with what it was given:
/// nothing is looked up and nothing runs.
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
    call,        ///< text: the name; items: what it was called with
    persistent,  ///< items: the one value that stands for an object outside
  };

  Kind kind = Kind::none;
  std::int64_t integer = 0;
  std::string text{};
  std::vector<const PickleValue*> items{};
};

/// For an error: the beginning of what such a file says, in characters that every terminal shows.
std::string shown(std::string_view text);

/// Reads one pickle, in the opcodes that a state_dict needs: protocol 2 without floats, classes of its own and
/// extensions. A value may contain itself: walk with care.
class Pickle {
 public:
  /// From the front of `bytes`. `names` are those that may be there, as "module name"; `collections OrderedDict` is one
  /// of them always, and a dict. Throws naming `where` and the byte for every other name, any other opcode, shown by
  /// its name, and whatever does not end well. Memory stays within twice the bytes and 16 MiB.
  Pickle(std::string_view bytes, std::span<const std::string_view> names, const std::string& where);

  const PickleValue& root() const { return *root_; }

  /// Bytes that it took.
  std::size_t size() const { return size_; }

 private:
  friend class PickleMachine;
  std::deque<PickleValue> values_;
  const PickleValue* root_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace glossa
