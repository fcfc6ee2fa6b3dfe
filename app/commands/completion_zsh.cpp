#include <fmt/ranges.h>

#include "app/commands/description.h"
#include "train/console/version.h"

namespace glossa::commands {
namespace {

/// Escapes text for single quotes, with a backslash before each character in `parting`, the separators of a
/// specification.
std::string quoted(std::string_view text, std::string_view parting) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || parting.find(c) != parting.npos) escaped += '\\';
    if (c == '\'')
      escaped += "'\\''";
    else
      escaped += c;
  }
  return escaped;
}

/// The action of `_arguments` that completes a value.
std::string action(const Argument& argument, bool of_trained_run) {
  switch (offer(argument)) {
    case Offer::words:
      return fmt::format("({})", fmt::join(argument.choices, " "));
    case Offer::files:
      return "_files";
    case Offer::folders:
      return "_directories";
    case Offer::configurations:
      return "_glossa_configurations";
    case Offer::runs:
      return "_glossa_runs";
    case Offer::checkpoints:
      return "_glossa_checkpoints";
    case Offer::keys:
      return of_trained_run ? "_glossa_keys_of_run" : "_glossa_keys";
    default:
      return " ";
  }
}

/// `'(-v --verbose)'{-v,--verbose}'[help]:TEXT:action'`, or `'*--set[help]:...'` if it repeats.
std::string specification(const Argument& option, bool of_trained_run) {
  std::string text = option.repeats
                         ? "'*'" + (option.names.size() > 1 ? fmt::format("{{{}}}'", fmt::join(option.names, ","))
                                                            : option.name() + "'")
                     : option.names.size() > 1
                         ? fmt::format("'({})'{{{}}}'", fmt::join(option.names, " "), fmt::join(option.names, ","))
                         : "'" + option.name();
  text += "[" + quoted(option.help, "[]:") + "]";
  if (!option.value.empty()) text += ":" + option.value + ":" + quoted(action(option, of_trained_run), "");
  return text + "'";
}

std::string function_name(const Command& command) {
  std::string name = "_glossa" + (command.name.empty() ? "" : "_" + command.name);
  for (char& c : name)
    if (c == ' ' || c == '-') c = '_';
  return name;
}

std::string last_word(const Command& command) { return command.name.substr(command.name.rfind(' ') + 1); }

/// The functions for a command and all its subcommands. Each function completes one command's options and words, or the
/// names of its subcommands.
std::string functions_of(const Command& command) {
  std::string text = function_name(command) + "() {\n";
  std::string arguments;
  for (const Argument& option : command.options) arguments += " \\\n    " + specification(option, reads_run(command));
  if (command.below.empty()) {
    int place = 0;
    for (const Argument& word : command.words)
      arguments += fmt::format(" \\\n    '{}:{}:{}'", word.repeats ? "*" : fmt::format("{}", ++place), word.name(),
                               quoted(action(word, false), ""));
    return text + "  _arguments -s -S" + arguments + "\n}\n\n";
  }
  text += "  local curcontext=$curcontext context state state_descr line\n  local -A opt_args\n  local -a commands=(\n";
  for (const Command& each : command.below)
    text += "    '" + quoted(last_word(each), ":") + ":" + quoted(each.help, "") + "'\n";
  if (command.name.empty()) text += "    'help:Show the help of a command'\n";
  text += "  )\n  _arguments -C" + arguments + " \\\n    '1: :->command' '*:: :->rest'\n  case $state in\n" +
          "    command) _describe -t commands command commands ;;\n    rest)\n      case $words[1] in\n";
  for (const Command& each : command.below) text += "        " + last_word(each) + ") " + function_name(each) + " ;;\n";
  if (command.name.empty()) text += "        help) _glossa ;;\n";
  text += "      esac ;;\n  esac\n}\n\n";
  for (const Command& each : command.below) text += functions_of(each);
  return text;
}

constexpr const char* helpers = R"~~(# YAML files; after --resume without --run, runs.
_glossa_configurations() {
  if (( $words[(I)--resume] && ! $words[(I)--run] )); then
    _glossa_runs
  else
    _files -g "*.yaml(-.)"
  fi
}

# Runs, or else folders that may lead to one; in a run, its checkpoints.
_glossa_runs() {
  if [[ $PREFIX == */checkpoints/* ]]; then
    _files
    return
  fi
  local -a runs=(${(Q)PREFIX}*/config.yaml(N:h))
  if (( $#runs )); then
    _wanted runs expl run compadd -f -- $runs
  else
    _directories
  fi
}

# Checkpoints of the run on the command line.
_glossa_checkpoints() {
  local word file
  local -a updates
  for word in $words; do
    for file in $word/checkpoints/update-*.ckpt(N:t:r); do updates+=($((10#${file#update-}))); done
  done
  _wanted checkpoints expl checkpoint compadd -- best last $updates
  compadd -S '' -- average:
}

_glossa_keys() {
  if ! compset -P '*='; then
    if [[ $1 == of_run ]]; then
      _describe -t keys key _glossa_run_keys -qS =
    else
      _describe -t keys key _glossa_all_keys -qS =
    fi
    return
  fi
  local key=${${IPREFIX%=}##*=}
  local -a values=(${=_glossa_values[$key]})
  if [[ $values == files ]]; then
    _files
  else
    _wanted values expl "value of $key" compadd -- $values
  fi
}

_glossa_keys_of_run() { _glossa_keys of_run; }

_glossa "$@"
)~~";

std::string array(std::string_view name, bool of_trained_run) {
  std::string text = fmt::format("typeset -ga {}=(\n", name);
  for (const Key& key : keys(of_trained_run)) text += "  '" + quoted(key.name + ":" + key.help, "") + "'\n";
  return text + ")\n";
}

}  // namespace

std::string zsh_completion(const Command& program) {
  std::string script = fmt::format(
      "#compdef glossa\n# zsh completion for glossa {}, printed by `glossa completion zsh`.\n\n", program_version);
  script += array("_glossa_all_keys", false) + array("_glossa_run_keys", true) + "typeset -gA _glossa_values=(\n";
  for (const Key& key : keys()) script += fmt::format("  {} '{}'\n", key.name, fmt::join(key.values, " "));
  return script + ")\n\n" + functions_of(program) + helpers;
}

}  // namespace glossa::commands
