#include <cstdio>

#include "app/command_line/command_table.h"
#include "app/commands/commands.h"

namespace glossa::commands {

namespace {

// The scripts call `glossa complete` (complete.cpp), whose words they complete; the names of files come from the shell.

constexpr const char* bash = R"~~(# bash completion for glossa, printed by `glossa completion bash`.
_glossa() {
  local word help before typed=${2//[\\\"\']/}
  COMPREPLY=()
  while IFS=$'\t' read -r word help; do
    before=${word%%\**}
    case $word in
      \#) ;;
      *\**)
        compopt -o filenames
        mapfile -t COMPREPLY < <(for action in -d "-fX!${word#"$before"}"; do
          compgen "$action" -P "$before" -- "${typed#"$before"}"; done) ;;
      */) compopt -o filenames; COMPREPLY+=("${word%/}") ;;
      "$typed"*) COMPREPLY+=("$word") ;;
    esac
  done < <("${1/#~\//$HOME/}" complete -- "${COMP_LINE:0:COMP_POINT}" "$typed" 2> /dev/null)
  [[ ${COMPREPLY[*]} != *[=:] ]] || compopt -o nospace
}
complete -F _glossa glossa
)~~";

constexpr const char* zsh = R"~~(#compdef glossa
# zsh completion for glossa, printed by `glossa completion zsh`.
local word help heading='command or option'
local -a closed open folders expl
while IFS=$'\t' read -r word help; do
  [[ $word != [^/]#=?* ]] || compset -P '[^/]#='
  word=${word#"$IPREFIX"}
  case $word in
    \#) heading=$help ;;
    \*/) _directories; return ;;
    \**) _files -g "$word"; return ;;
    */) folders+=("${${word%/}:t}") ;;
    *[=:]) open+=("${word//:/\\:}${help:+:$help}") ;;
    *) closed+=("${word//:/\\:}${help:+:$help}") ;;
  esac
done < <(${~words[1]} complete -- "${(j: :)words[1,CURRENT-1]} $QIPREFIX$IPREFIX$PREFIX" 2> /dev/null)
if (( $#folders )); then
  compset -P '*/'
  _wanted runs expl "$heading" compadd -qS / -- $folders
else
  _describe "$heading" closed -- open -S '' || _message "$heading"
fi
)~~";

struct CompletionArguments {
  std::string shell;
};

int run(const CompletionArguments& arguments) {
  std::fputs(arguments.shell == "zsh" ? zsh : bash, stdout);
  return 0;
}

}  // namespace

void add_completion(CommandTable& table) {
  const auto [command, arguments] = table.add<CompletionArguments>(
      {.name = "completion", .help = "Print a shell's completion script", .group = "Help"}, run);
  command.add_option("SHELL", arguments.shell, "name of the shell")->required()->check(CLI::IsMember({"bash", "zsh"}));
}

}  // namespace glossa::commands
