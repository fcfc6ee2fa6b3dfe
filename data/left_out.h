#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// Counts of unused pairs by reason: `empty`, `length`, `ratio`, `duplicate`, `language` and so on.
class LeftOut {
 public:
  /// Adds `count` pairs for `reason`, with a `detail` for messages. A count of 0 adds nothing.
  LeftOut& add(std::string_view reason, std::int64_t count, std::string_view detail = {});
  LeftOut& add(const LeftOut& more);

  /// Lines like `left out: empty 3 (2 sources, 1 target)`.
  std::vector<std::string> lines() const;

 private:
  struct Reason {
    std::string name;
    std::int64_t count = 0;
    std::vector<std::string> details = {};
  };
  std::vector<Reason> reasons_;
};

}  // namespace glossa
