#include "config/unknown_name.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest_name.h"
#include "config/config.h"
#include "config/foreign_names.h"
#include "data/text/shell_word.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

constexpr std::string_view command_line = "command line";

/// Returns the nearest name in a list; empty if no name is near.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& names) {
  const std::string found = nearest_name(name, names);
  return found.empty() ? std::vector<std::string>{} : std::vector{found};
}

bool takes_sets(const CommandWords& known) { return std::ranges::find(known.options, "set") != known.options.end(); }

/// Returns the keys that the command's --set accepts and that a user may have meant by a name with a value.
std::vector<std::string> keys_for(const CommandWords& known, std::string_view name, std::string_view value) {
  if (!takes_sets(known)) return {};
  std::vector<std::string> keys = keys_meant(name == "data" ? "data.train" : name == "optim" ? "optim.name" : name);
  for (std::string& key : keys) {
    const Option<Config>* const option = find_option(key);
    const ForeignNames* const foreign = find_foreign(key);
    if (foreign != nullptr && option != nullptr && !option->takes(std::string(value))) key = foreign->meaning;
  }
  std::erase_if(keys, [&](const std::string& key) {
    const bool is_section = key.find('.') == key.npos;
    return is_section || (known.takes_key != nullptr && !known.takes_key(key));
  });
  return keys;
}

/// Returns the options that a user may have meant by another program's option with a value: `--format marian` means
/// `--marian`. Empty if the command has none.
std::vector<std::string> options_for(const CommandWords& known, std::string_view name, std::string_view value) {
  std::vector<std::string> meant;
  for (const std::string& option : known.options)
    if (option == value || has_name(foreign_options(name), option)) meant.push_back("--" + option);
  return meant;
}

/// Returns the hint for a command that reads its text from standard input.
std::string pipe_of_text(const CommandWords& known, std::string_view text) {
  return fmt::format("the text comes from standard input: echo {} | {} {}", shell_word(text), known.command,
                     fmt::join(known.places, " "));
}

Error::Parts unknown_option(const CommandWords& known, std::string_view word, std::string_view value) {
  std::string_view name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  if (const auto equals = name.find('='); equals != name.npos) {
    value = name.substr(equals + 1);
    name = name.substr(0, equals);
  }
  const auto unknown = [&](const std::vector<std::string>& meant, std::string_view hint = "") {
    return unknown_name(command_line, "option", word.substr(0, word.find('=')), meant, hint);
  };
  std::string key(name);
  std::ranges::replace(key, '-', '_');
  const auto is_place = [&](std::string_view place) { return utf8::lower_case(place) == key; };
  if (std::ranges::any_of(known.places, is_place))
    return unknown({known.command + " " + shell_path(std::string(value))});
  if (known.reads_text && (key == "text" || key == "sentence")) return unknown({}, pipe_of_text(known, value));
  if (std::ranges::find(known.options, name) != known.options.end())  // an option before the command
    return unknown_name(command_line, "option", word, {fmt::format("{} --{} ...", known.command, name)}, "");
  if (const std::vector<std::string> meant = options_for(known, key, value); !meant.empty()) return unknown(meant);
  const std::vector<std::string> keys = keys_for(known, key, value);
  const bool is_foreign = takes_sets(known) && find_foreign(key) != nullptr;
  const bool is_key = is_foreign || (!keys.empty() && ("." + keys.front()).ends_with("." + key));
  std::vector<std::string> options = known.options, meant;
  for (std::string& option : options) option.insert(0, "--");
  if (!is_key) meant = nearest(fmt::format("--{}", name), options);
  if (meant.empty())
    for (const std::string& k : keys) meant.push_back(shell_command({"--set", fmt::format("{}={}", k, value)}));
  const std::string usual = known.command + " --help lists them";
  return unknown(meant, is_foreign ? hint_about(key, usual) : std::string_view(usual));
}

/// True if an argument looks like text rather than a file's path.
bool looks_like_text(std::string_view word) {
  return !std::filesystem::exists(word) && (word.find(' ') != word.npos || word.find_first_of("./") == word.npos);
}

/// Returns the option if an editor replaced its hyphens with dashes; otherwise returns the word unchanged.
std::string with_hyphens(std::string_view word) {
  std::size_t begin = 0;
  for (const std::string_view dash : {"\u2012", "\u2013", "\u2014", "\u2212"})
    if (word.starts_with(dash)) begin = dash.size();
  if (begin == 0) return std::string(word);
  const std::size_t name = word.find_first_not_of('-', begin);
  return name == word.npos ? std::string(word) : fmt::format("--{}", word.substr(name));
}

/// Returns the message about a word without dashes: a KEY=VALUE without `--set`, or a file without its option.
Error::Parts unknown_argument(const CommandWords& known, std::string_view word) {
  const std::string hyphens = with_hyphens(word);
  if (hyphens != word) return unknown_name(command_line, "argument", word, {shell_word(hyphens)}, "");
  const auto equals = word.find('=');
  std::vector<std::string> meant;
  if (takes_sets(known) && equals != word.npos && equals > 0) {
    const std::string_view key = word.substr(0, equals);
    for (const std::string& k : keys_for(known, key, word.substr(equals + 1)))
      meant.push_back(shell_command({"--set", k + std::string(word.substr(equals))}));
    if (keys_meant(key).empty()) meant.push_back(shell_command({"--set", word}));
  } else if (known.reads_text && looks_like_text(word)) {
    return unknown_name(command_line, "argument", word, {}, pipe_of_text(known, word));
  } else {  // the word is a file without its option
    for (const char* text : {"input", "source", "test"})
      if (std::ranges::find(known.options, text) != known.options.end())
        meant.push_back(shell_command({fmt::format("--{}", text), std::filesystem::path(word)}));
  }
  return unknown_name(command_line, "argument", word, meant, known.command + " --help shows what it takes");
}

}  // namespace

Error::Parts unknown_name(std::string_view where, std::string_view kind, std::string_view name,
                          const std::vector<std::string>& meant, std::string_view hint) {
  if (meant.empty()) return Error::Parts::of(where, "unknown {} '{}'. Hint: {}", kind, name, hint);
  std::vector<std::string> shown;
  for (const std::string& words : meant)  // commands may contain quotes themselves
    shown.push_back(words.find_first_of("'\"") == words.npos ? "'" + words + "'" : words);
  return Error::Parts::of(where, "unknown {} '{}'; did you mean {}?", kind, name, fmt::join(shown, " or "));
}

std::vector<std::string> keys_meant(std::string_view key, bool is_section) {
  const bool has_section = key.find('.') != key.npos;
  std::vector<std::string> sections, names;  // all candidates, with their section if `key` has one
  const auto keys_of_name = [&](std::string_view name) {
    std::vector<std::string> keys;
    for (const Option<Config>& option : all_options())
      if (option.name == name) keys.push_back(option.key);
    return keys;
  };
  const ForeignNames* const foreign = find_foreign(key);
  std::vector<std::string> meant = keys_of_name(key.substr(key.rfind('.') + 1));
  // If another program uses the full key, its meaning takes precedence over the same name in another section.
  const bool is_foreign = foreign != nullptr && has_name(foreign->names, key);
  if (is_foreign && std::ranges::find(meant, key) == meant.end()) meant.clear();
  if (!meant.empty()) return meant;
  for (const OptionSection& section : option_sections()) {
    sections.push_back(section.name);
    names.push_back(section.name);
    for (const Option<Config>& option : section.options) names.push_back(has_section ? option.key : option.name);
  }
  if (is_section) meant = nearest(key, sections);
  if (!meant.empty()) return meant;
  if (foreign != nullptr) {
    if (foreign->is_sentence()) return {};
    return {std::string(is_section ? foreign->meaning.substr(0, foreign->meaning.find('.')) : foreign->meaning)};
  }
  meant = nearest(key, names);
  if (meant.empty() || has_section) return meant;
  const std::vector<std::string> keys = keys_of_name(meant.front());
  return keys.empty() ? meant : keys;
}

std::string_view hint_about(std::string_view key, std::string_view usual) {
  const ForeignNames* foreign = find_foreign(key);
  return foreign != nullptr && foreign->is_sentence() ? foreign->meaning : usual;
}

Error::Parts unknown_word(const CommandWords& known, std::string_view word, std::string_view value) {
  if (word.starts_with('-')) return unknown_option(known, word, value);
  if (!known.commands.empty())
    return unknown_name(command_line, "command", word, nearest(word, known.commands),
                        known.command + " --help lists them");
  return unknown_argument(known, word);
}

std::string set_in_several_words(std::span<const std::string> words, std::string_view unknown) {
  for (; words.size() > 2; words = words.subspan(1)) {
    const std::string &key = words[1], &next = words[2];
    if (words[0] != "--set") continue;
    const bool has_sign = key.find('=') != key.npos;
    if (has_sign && key.find('=') + 1 != key.size()) continue;  // a value follows the `=`
    if (next == "=" && words.size() > 3) return key + next + words[3];
    if (next.starts_with('=') && next.size() > 1) return key + next;
    if (next == unknown && next != "=" && !next.starts_with('-')) return key + (has_sign ? "" : "=") + next;
  }
  return "";
}

}  // namespace glossa
