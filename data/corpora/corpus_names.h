#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glossa {

/// Names of the corpora in an option, in order. Usually there is one, but none or several are possible.
struct CorpusNames : std::vector<std::string> {
  CorpusNames() = default;
  CorpusNames(std::vector<std::string> names) : vector(std::move(names)) {}

  /// A single name; empty text means no name.
  template <std::convertible_to<std::string> Name>
  CorpusNames(const Name& name) : vector(1, name) {
    if (front().empty()) clear();
  }

  /// All names in readable form.
  std::string text() const;
};

/// Returns the number of pairs if `location` is the built-in toy corpus (`toy:50000`), or nothing if it names files.
/// For a malformed number, throws a misuse error at `key`, the option with the value `location`.
std::optional<std::int64_t> toy_pairs(std::string_view key, std::string_view location);

/// Returns the number of pairs if the toy corpus is the only one in `names`, and nothing otherwise. Throws the error of
/// toy_pairs if any of the names has a malformed number.
std::optional<std::int64_t> toy_pairs_alone(std::string_view key, const CorpusNames& names);

}  // namespace glossa
