#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// A value of a pickle, as plain data. A class or function is represented by its name, and a call by the function's
/// name and the arguments. Nothing is looked up or executed.
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
    persistent,  ///< items: the single value that identifies an object outside the pickle
  };

  Kind kind = Kind::none;
  std::int64_t integer = 0;
  std::string text{};
  std::vector<const PickleValue*> items{};
};

/// Returns the first 200 bytes of a text from a file, made printable for an error message.
std::string shown(std::string_view text);

/// Reads one pickle with the opcodes that a state_dict needs: protocol 2 without floats, user-defined classes or
/// extensions. A value may contain itself; traversal must allow for that.
class Pickle {
 public:
  /// Reads a pickle at the start of `bytes`. `names` lists the allowed classes and functions as "module name".
  /// `collections OrderedDict` is always allowed and becomes a dict. Throws for any other name or opcode, and if the
  /// pickle is truncated or malformed. The error names `where` and the byte position. Uses at most twice `bytes.size()`
  /// plus 16 MiB of memory.
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
