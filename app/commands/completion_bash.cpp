#include <fmt/ranges.h>

#include <map>

#include "app/commands/description.h"
#include "train/console/version.h"

namespace glossa::commands {
namespace {

/// The kind of completion, as used by the functions below: "runs", or "words text json".
std::string kind_of(const Argument& argument, bool of_trained_run) {
  switch (offer(argument)) {
    case Offer::words:
      return fmt::format("words {}", fmt::join(argument.choices, " "));
    case Offer::files:
      return "files";
    case Offer::folders:
      return "folders";
    case Offer::configurations:
      return "configurations";
    case Offer::runs:
      return "runs";
    case Offer::checkpoints:
      return "checkpoints";
    case Offer::keys:
      return of_trained_run ? "keys_of_run" : "keys";
    default:
      return "nothing";
  }
}

/// The script's lines for a command and its subcommands, with the words that may follow each. Adds their arguments to
/// `kinds`, grouped by kind.
std::string case_of(const Command& command, std::map<std::string, std::vector<std::string>>& kinds) {
  std::vector<std::string> below, options, valued, words;
  for (const Command& each : command.below) below.push_back(each.name.substr(each.name.rfind(' ') + 1));
  for (const Argument& option : command.options)
    for (const std::string& name : option.names) {
      options.push_back(name);
      if (option.value.empty()) continue;
      valued.push_back(name);
      kinds[kind_of(option, reads_run(command))].push_back(fmt::format("'{} {}'", command.name, name));
    }
  for (const Argument& word : command.words) {
    words.push_back(word.repeats ? word.name() + " ..." : word.name());
    kinds[kind_of(word, false)].push_back(fmt::format("'{} {}'", command.name, word.name()));
  }
  std::string line =
      fmt::format("    '{}') below='{}' options='{}' valued='{}' operands='{}' ;;\n", command.name,
                  fmt::join(below, " "), fmt::join(options, " "), fmt::join(valued, " "), fmt::join(words, " "));
  for (const Command& each : command.below) line += case_of(each, kinds);
  return line;
}

std::string names_of(const std::vector<Key>& keys) {
  std::string names;
  for (const Key& key : keys) names += (names.empty() ? "" : " ") + key.name;
  return names;
}

constexpr const char* functions = R"~~(
# Offers the given words that begin with the word at the cursor. bash itself sees only the part after its last = or :.
_glossa_words() {
  local word
  for word in "$@"; do
    [[ $word == "$cur"* ]] && COMPREPLY+=("${word#"$before"}")
  done
}

_glossa_files() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f "$@" -- "$cur"); }
_glossa_folders() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); }
_glossa_nothing() { :; }

# YAML files, and folders that may lead to one; after --resume without --run, runs.
_glossa_configurations() {
  if [[ " ${COMP_WORDS[*]} " == *' --resume '* && " ${COMP_WORDS[*]} " != *' --run '* ]]; then
    _glossa_runs
    return
  fi
  _glossa_files -X '!*.yaml'
  local folder
  while IFS= read -r folder; do COMPREPLY+=("$folder"); done < <(compgen -d -- "$cur")
}

# Runs, or else folders that may lead to one; in a run, its checkpoints.
_glossa_runs() {
  if [[ $cur == */checkpoints/* ]]; then
    _glossa_files
    return
  fi
  local folder runs=()
  _glossa_folders
  for folder in "${COMPREPLY[@]}"; do
    [[ -f $folder/config.yaml && -d $folder/checkpoints ]] && runs+=("$folder")
  done
  ((${#runs[@]})) && COMPREPLY=("${runs[@]}")
}

# Checkpoints of the run on the command line.
_glossa_checkpoints() {
  local file updates=()
  for file in "${given[0]}"/checkpoints/update-*.ckpt; do
    [[ -f $file ]] || continue
    file=${file##*/update-}
    updates+=("$((10#${file%.ckpt}))")
  done
  [[ $cur == average:* ]] || compopt -o nospace
  _glossa_words best last average: "${updates[@]}"
  [[ ${COMPREPLY[*]} == average: ]] || compopt +o nospace
}

_glossa_value_of_key() {
  local value values=$(_glossa_values "${cur%%=*}") words=()
  if [[ $values == files ]]; then
    before=${before#"${cur%%=*}="}
    cur=${cur#*=}
    _glossa_files
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
    return
  fi
  for value in $values; do words+=("${cur%%=*}=$value"); done
  _glossa_words "${words[@]}"
}

_glossa_keys() {
  if [[ $cur == *=* ]]; then
    _glossa_value_of_key
  else
    compopt -o nospace
    _glossa_words ${1:-$(_glossa_all_keys)}
    COMPREPLY=("${COMPREPLY[@]/%/=}")
  fi
}
_glossa_keys_of_run() { _glossa_keys "$(_glossa_run_keys)"; }

_glossa() {
  local below= options= valued= operands= command= option= glue= before= cur word i words=() given=()
  COMPREPLY=()
  for ((i = 1; i <= COMP_CWORD; ++i)); do  # bash also splits words at = and :
    word=${COMP_WORDS[i]}
    if [[ ${#words[@]} -gt 0 && ($glue || $word == [=:]*) ]]; then words[-1]+=$word; else words+=("$word"); fi
    if [[ $word == *[=:] ]]; then glue=1; else glue=; fi
  done
  cur=${words[-1]}
  before=${cur%"${word#[=:]}"}
  unset 'words[-1]'
  _glossa_command ''
  for word in "${words[@]}"; do
    if [[ $option ]]; then
      option=
    elif [[ $word == -* ]]; then
      [[ " $valued " == *" $word "* ]] && option=$word
    elif [[ $below ]]; then
      [[ $word == help && ! $command ]] && continue
      command+=${command:+ }$word
      below= options= valued= operands=
      _glossa_command "$command"
    else
      given+=("$word")
    fi
  done
  if [[ ! $option && $cur == --*=* ]]; then
    option=${cur%%=*}
    before=${before#"$option="}
    cur=${cur#*=}
  fi
  if [[ ! $option ]]; then
    if [[ $cur == -* ]]; then
      _glossa_words $options
      return
    elif [[ $below ]]; then
      _glossa_words $below $([[ $command ]] || echo help)
      return
    fi
    words=($operands)
    option=${words[${#given[@]}]}
    [[ $operands == *' ...' && ${#given[@]} -ge $((${#words[@]} - 1)) ]] && option=${words[-2]}
  fi
  _glossa_$(_glossa_kind "$command $option")
}

complete -F _glossa glossa
)~~";

}  // namespace

std::string bash_completion(const Command& program) {
  std::map<std::string, std::vector<std::string>> kinds;
  std::string script =
      fmt::format("# bash completion for glossa {}, printed by `glossa completion bash`.\n", program_version);
  script += "\n# Words that may follow a command.\n_glossa_command() {\n  case $1 in\n" + case_of(program, kinds) +
            "  esac\n}\n";
  script += "\n# The kind of a command's word, or of an option's value.\n_glossa_kind() {\n  case $1 in\n";
  for (const auto& [kind, arguments] : kinds)
    script += fmt::format("    {}) echo '{}' ;;\n", fmt::join(arguments, " | "), kind);
  script += "    *) echo nothing ;;\n  esac\n}\n\n_glossa_values() {\n  case $1 in\n";
  for (const Key& key : keys())
    if (!key.values.empty()) script += fmt::format("    {}) echo '{}' ;;\n", key.name, fmt::join(key.values, " "));
  script += "  esac\n}\n\n_glossa_all_keys() { echo '" + names_of(keys()) + "'; }\n_glossa_run_keys() { echo '" +
            names_of(keys(true)) + "'; }\n";
  return script + functions;
}

}  // namespace glossa::commands
