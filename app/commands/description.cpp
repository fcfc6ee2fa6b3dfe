#include "app/commands/description.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace glossa::commands {
namespace {

/// Describes an option. The type name "TEXT:{text,json}" means a TEXT with two choices; "INT:INT in [1 - 9]" means an
/// INT from 1 to 9.
Argument argument_of(const CLI::Option& option) {
  Argument argument{.names = {},
                    .value = {},
                    .help = option.get_description(),
                    .choices = {},
                    .required = option.get_required(),
                    .repeats = option.get_expected_max() > 1};
  if (option.get_positional()) {
    argument.names.push_back(option.get_name(true));
  } else {
    for (const std::string& name : option.get_snames()) argument.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) argument.names.push_back("--" + name);
  }
  if (option.get_items_expected_max() == 0) return argument;
  const std::string type = option.get_type_name();
  argument.value = type.substr(0, type.find(':'));
  const std::string rule = type.substr(std::min(type.find(':'), type.size()));
  if (const auto begin = rule.find('{'), end = rule.find('}'); begin != rule.npos && end != rule.npos) {
    std::string list = rule.substr(begin + 1, end - begin - 1) + ",";
    for (std::size_t comma; (comma = list.find(',')) != list.npos; list.erase(0, comma + 1))
      argument.choices.push_back(list.substr(0, comma));
  }
  if (const auto begin = rule.find(" in ["), end = rule.find(']'); begin != rule.npos && end != rule.npos)
    argument.help += "; in " + rule.substr(begin + 4, end - begin - 3);
  if (const std::string usual = option.get_default_str(); !usual.empty()) argument.help += " (default: " + usual + ")";
  return argument;
}

Command command_of(const CLI::App& app, const std::string& name) {
  Command command{.name = name, .help = app.get_description(), .words = {}, .options = {}, .below = {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // help does not list such an option
    (option->get_positional() ? command.words : command.options).push_back(argument_of(*option));
  }
  for (const CLI::App* below : app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); }))
    command.below.push_back(command_of(*below, name.empty() ? below->get_name() : name + " " + below->get_name()));
  return command;
}

}  // namespace

Command described(const CLI::App& app) { return command_of(app, ""); }

}  // namespace glossa::commands
