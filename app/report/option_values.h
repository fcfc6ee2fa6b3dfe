#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/config/config.h"

namespace glossa {

/// An option, and its values in the runs of a report.
struct OptionValues {
  std::string key, help;
  std::string usual;                ///< the program's default
  std::vector<std::string> values;  ///< one per run

  bool differs() const;
};

/// Returns the values of every option, in the order of the table of options.
std::vector<OptionValues> option_values(std::span<const Config> runs);

}  // namespace glossa
