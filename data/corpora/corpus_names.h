#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glossa {

/// Names of the corpora that an option lists, in order; usually one, but none or several are possible.
class CorpusNames {
 public:
  CorpusNames() = default;

  /// A single name; empty text means no name.
  template <std::convertible_to<std::string> Name>
  CorpusNames(const Name& name) : CorpusNames(std::vector<std::string>{name}) {
    if (names_.front().empty()) names_.clear();
  }

  CorpusNames(std::vector<std::string> names) : names_(std::move(names)) {}

  bool operator==(const CorpusNames&) const = default;

  bool empty() const { return names_.empty(); }
  std::size_t size() const { return names_.size(); }
  void clear() { names_.clear(); }
  const std::string& front() const { return names_.front(); }
  auto begin() const { return names_.begin(); }
  auto end() const { return names_.end(); }

  /// All names in readable form.
  std::string text() const;

 private:
  std::vector<std::string> names_;
};

/// Returns the number of pairs if `location` is the built-in toy corpus (`toy:50000`), or empty if it names files. For
/// a malformed number, throws a misuse error at `key`, the option whose value is `location`.
std::optional<std::int64_t> toy_pairs(std::string_view key, std::string_view location);

/// Returns the number of pairs if the toy corpus is the only one in `names`. Throws as toy_pairs does if any of the
/// names is malformed, even if there are several.
std::optional<std::int64_t> toy_pairs_alone(std::string_view key, const CorpusNames& names);

}  // namespace glossa
