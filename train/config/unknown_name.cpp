#include "train/config/unknown_name.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "files/nearest_name.h"
#include "train/config/config.h"

namespace glossa {
namespace {

/// The nearest name in a list; empty if no name is near.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names) {
  const std::string found = nearest_name(name, names);
  return found.empty() ? std::vector<std::string>{} : std::vector{found};
}

std::string unknown_option(const CommandWords& known, std::string_view word, std::string_view value) {
  std::string_view name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  if (const auto equals = name.find('='); equals != name.npos) {
    value = name.substr(equals + 1);
    name = name.substr(0, equals);
  }
  std::string key(name);
  std::ranges::replace(key, '-', '_');
  std::vector<std::string> keys;
  if (std::ranges::find(known.options, "set") != known.options.end()) keys = keys_meant(key);
  std::erase_if(keys, [](const std::string& k) { return k.find('.') == k.npos; });  // drops sections
  const bool is_key = !keys.empty() && ("." + keys.front()).ends_with("." + key);
  std::vector<std::string> options = known.options, meant;
  for (std::string& option : options) option.insert(0, "--");
  if (!is_key) meant = nearest(fmt::format("--{}", name), options);
  if (meant.empty())
    for (const std::string& k : keys) meant.push_back(fmt::format("--set {}={}", k, value));
  return unknown_name("option", word.substr(0, word.find('=')), meant, known.command + " --help lists them");
}

}  // namespace

std::string unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& meant,
                         std::string_view hint) {
  const std::string text = fmt::format("unknown {} '{}'", kind, name);
  if (meant.empty()) return fmt::format("{}. Hint: {}", text, hint);
  return fmt::format("{}; did you mean '{}'?", text, fmt::join(meant, "' or '"));
}

std::vector<std::string> keys_meant(std::string_view key) {
  const bool has_section = key.find('.') != key.npos;
  std::vector<std::string> names;  // of all candidates, with their section if `key` has one
  const auto keys_of_name = [&](std::string_view name) {
    std::vector<std::string> keys;
    for (const OptionSection& section : option_sections())
      for (const Option<Config>& option : section.options)
        if (option.name == name) keys.push_back(section.name + "." + option.name);
    return keys;
  };
  std::vector<std::string> meant = keys_of_name(key.substr(key.rfind('.') + 1));
  if (!meant.empty()) return meant;
  for (const OptionSection& section : option_sections()) {
    names.push_back(section.name);
    for (const Option<Config>& option : section.options)
      names.push_back(has_section ? section.name + "." + option.name : option.name);
  }
  meant = nearest(key, names);
  if (meant.empty() || has_section) return meant;
  const std::vector<std::string> keys = keys_of_name(meant.front());
  return keys.empty() ? meant : keys;
}

std::string unknown_word(const CommandWords& known, std::string_view word, std::string_view value) {
  if (word.starts_with('-')) return unknown_option(known, word, value);
  if (!known.commands.empty())
    return unknown_name("command", word, nearest(word, known.commands), known.command + " --help lists them");
  std::vector<std::string> meant;
  const auto takes = [&](std::string_view option) {
    return std::ranges::find(known.options, option) != known.options.end();
  };
  if (word.find('=') != word.npos) {
    if (takes("set")) meant.push_back(fmt::format("--set {}", word));
  } else {
    for (const char* text : {"input", "source", "test"})
      if (takes(text)) meant.push_back(fmt::format("--{} {}", text, word));
  }
  return unknown_name("argument", word, meant, known.command + " --help shows what it takes");
}

}  // namespace glossa
