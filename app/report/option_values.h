#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/config/config.h"

namespace glossa {

/// What the runs of a report have as one option.
struct OptionValues {
  std::string key, help;
  std::string usual;                ///< the value that the program takes where none is given
  std::vector<std::string> values;  ///< one a run

  bool differs() const;
};

/// Every option of the table, in its order.
std::vector<OptionValues> option_values(std::span<const Config> runs);

}  // namespace glossa
