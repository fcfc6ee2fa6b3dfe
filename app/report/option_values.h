#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/config/config.h"

namespace glossa {

/// The values of an option in a report's runs.
struct OptionValues {
  std::string key, help;
  std::string usual;                ///< the program's default
  std::vector<std::string> values;  ///< one per run

  bool differs() const;
};

/// Every option of the table, in table order.
std::vector<OptionValues> option_values(std::span<const Config> runs);

}  // namespace glossa
