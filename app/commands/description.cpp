#include "app/commands/description.h"

#include "train/config/config.h"
#include "train/run.h"

namespace glossa::commands {
namespace {

/// The words that an option accepts, taken from its range: `none` and `auto` if the range is "none, VALID/TEST such as
/// 1000/1000 or auto". Returns "files" for an option that accepts any text, as it usually names a file.
std::vector<std::string> values_of(const Option<Config>& option) {
  if (option.takes("no such word")) return {"files"};
  std::vector<std::string> values;
  std::string word;
  for (const char c : option.accepts + " ") {
    if (c != ' ' && c != ',') {
      word += c;
      continue;
    }
    const bool is_example = parse_period(word, Period::Unit::updates).has_value();  // an example or a number
    if (word.find_first_of("/[") == word.npos && !is_example && option.takes(word)) values.push_back(word);
    word.clear();
  }
  return values;
}

}  // namespace

std::vector<Command> leaves(const Command& program) {
  if (program.below.empty()) return {program};
  std::vector<Command> all;
  for (const Command& command : program.below)
    for (Command& leaf : leaves(command)) all.push_back(std::move(leaf));
  return all;
}

std::vector<Key> keys(bool of_trained_run) {
  std::vector<Key> all;
  for (const Option<Config>& option : all_options())
    if (!of_trained_run || is_of_use(option.key))
      all.push_back({option.key, option.help, option.accepts, option.text(Config{}), values_of(option)});
  return all;
}

}  // namespace glossa::commands
