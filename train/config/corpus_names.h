#pragma once

#include <concepts>
#include <string>
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

}  // namespace glossa
