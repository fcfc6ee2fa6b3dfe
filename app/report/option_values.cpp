#include "app/report/option_values.h"

#include <algorithm>
#include <functional>

namespace glossa {

bool OptionValues::differs() const {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to{}) != values.end();
}

std::vector<OptionValues> option_values(std::span<const Config> runs) {
  static const Config usual;
  std::vector<OptionValues> all;
  for (const OptionSection& section : option_sections())
    for (const Option<Config>& option : section.options) {
      OptionValues row{section.name + "." + option.name, option.help, option.text(usual), {}};
      for (const Config& run : runs) row.values.push_back(option.text(run));
      all.push_back(std::move(row));
    }
  return all;
}

}  // namespace glossa
