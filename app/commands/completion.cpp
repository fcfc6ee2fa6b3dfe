#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "app/commands/description.h"
#include "base/folder.h"
#include "config/config.h"
#include "train/checkpoint/int8_file.h"
#include "train/run.h"

namespace glossa::commands {

namespace {

namespace fs = std::filesystem;

/// Possible words at the cursor, with their help. A word that ends with = or : is incomplete. A word that ends with /
/// is a folder. A * means any file name, *.yaml the name of a YAML file, and */ the name of a folder.
using Offers = std::vector<std::pair<std::string, std::string>>;

/// Splits a command line and removes quotes, as a shell does. The last word is the one at the cursor.
std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words{""};
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      if (!words.back().empty()) words.emplace_back();
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c != '\\' || quote == '\'') {
      words.back() += c;
    } else if (++i < line.size()) {
      words.back() += line[i];
    }
  }
  return words;
}

fs::path folder_of(const std::string& path) {
  const char* const home = std::getenv("HOME");
  return path.starts_with("~/") && home != nullptr ? home + path.substr(1) : path.empty() ? "." : path;
}

/// Offers the runs in the typed folder or, if it has none, its subfolders. Below `checkpoints/`, offers files.
Offers runs(const std::string& typed) {
  if (typed.find("/checkpoints/") != typed.npos) return {{"*", ""}};
  const std::string before = typed.substr(0, typed.rfind('/') + 1);
  const fs::path folder = folder_of(before);
  Offers found;
  std::error_code ignored;
  for (const std::string& name : names_in(folder))
    if ((before + name).starts_with(typed) && fs::exists(folder / name / "config.yaml", ignored) &&
        (fs::exists(folder / name / "checkpoints", ignored) || is_in_int8(folder / name)))
      found.emplace_back(before + name + "/", "");
  return found.empty() ? Offers{{"*/", ""}} : found;
}

Offers checkpoints(const std::string& run) {
  Offers found{{"best", ""}, {"last", ""}, {"average:", ""}};
  for (const std::string& name : names_in(folder_of(run) / "checkpoints"))
    if (name.starts_with("update-") && name.ends_with(".ckpt"))
      found.emplace_back(fmt::format("{}", std::strtoull(&name[7], nullptr, 10)), "");
  return found;
}

/// Returns the words that an option accepts, taken from the text of its range. For example, "none, VALID/TEST such as
/// 1000/1000 or auto" yields `none` and `auto`. An option that accepts any text gets *, because its value is usually a
/// file name.
std::vector<std::string> values_of(const Option<Config>& option) {
  if (option.takes("no such word")) return {"*"};
  std::vector<std::string> values;
  std::string word;
  for (const char c : option.accepts + " ") {
    if (c != ' ' && c != ',') {
      word += c;
      continue;
    }
    const bool is_example = parse_period(word, Period::Unit::updates).has_value();  // `word` is an example or a number
    if (word.find_first_of("/[") == word.npos && !is_example && option.takes(word)) values.push_back(word);
    word.clear();
  }
  return values;
}

/// Offers keys, or the values of the key that is typed. If `of_trained_run`, offers only keys accepted by commands that
/// read a trained run.
Offers settings(const std::string& typed, bool of_trained_run) {
  Offers found;
  for (const Option<Config>& option : all_options()) {
    const std::string start = option.key + "=";
    if (of_trained_run && !is_of_use(option.key)) continue;
    if (typed.find('=') == typed.npos)
      found.emplace_back(start, option.help);
    else if (typed.starts_with(start))
      for (const std::string& value : values_of(option)) found.emplace_back(start + value, "");
  }
  return found;
}

/// Returns a subcommand's name without its parent's.
std::string last_word(const Command& command) { return command.name.substr(command.name.rfind(' ') + 1); }

/// The word at the cursor, and the command line before it.
struct Cursor {
  const Command* command;               // command on the line; null if unknown
  const Argument* asked = nullptr;      // argument whose value is the word; null: the word is an option or a command
  std::set<std::string> used = {};      // options already given
  std::vector<std::string> given = {};  // positional words already given
  std::string before = {}, typed = {};  // the word's two parts: "--format=te" is "te" after "--format="
};

/// Returns the option with this name if it takes a value.
const Argument* valued(const Command& command, const std::string& name) {
  for (const Argument& each : command.options)
    if (std::ranges::find(each.names, name) != each.names.end() && !each.value.empty()) return &each;
  return nullptr;
}

Cursor cursor_in(const Command& program, const std::vector<std::string>& words) {
  Cursor at{.command = &program};
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (at.asked != nullptr) {
      at.asked = nullptr;
    } else if (word.starts_with('-')) {
      at.used.insert(word.substr(0, word.find('=')));
      at.asked = valued(*at.command, word);
    } else if (at.command->below.empty()) {
      at.given.push_back(word);
    } else if (word != "help" || at.command != &program) {
      const auto found = std::ranges::find(at.command->below, word, last_word);
      if (found == at.command->below.end()) return {.command = nullptr};
      at.command = &*found;
    }
  }
  at.typed = words.back();
  if (at.asked != nullptr) return at;
  const std::vector<Argument>& operands = at.command->words;
  if (const std::size_t end = at.typed.find('='); at.typed.starts_with("--") && end != at.typed.npos) {
    at.asked = valued(*at.command, at.typed.substr(0, end));
    at.before = at.typed.substr(0, end + 1);
    at.typed.erase(0, end + 1);
  } else if (!at.typed.starts_with('-') && at.given.size() < operands.size()) {
    at.asked = &operands[at.given.size()];
  } else if (!at.typed.starts_with('-') && !operands.empty() && operands.back().repeats) {
    at.asked = &operands.back();
  }
  return at;
}

Offers commands_and_options(const Cursor& at) {
  Offers found;
  for (const Command& each : at.command->below) found.emplace_back(last_word(each), each.help);
  if (at.command->name.empty()) found.emplace_back("help", "Show the help of a command");
  if (!found.empty() && !at.typed.starts_with('-')) return found;
  const auto is_used = [&](const std::string& name) { return at.used.contains(name); };
  for (const Argument& each : at.command->options)
    if (each.repeats || std::ranges::none_of(each.names, is_used))
      for (const std::string& name : each.names) found.emplace_back(name, each.help);
  return found;
}

/// Offers values. The first offer, "#", is not a value; its help describes the expected value.
Offers values(const Cursor& at) {
  Offers found;
  for (const std::string& choice : at.asked->choices) found.emplace_back(choice, "");
  const std::vector<Argument>& operands = at.command->words;
  const std::string& name = at.asked->name();
  if (name == "RUN" || (name == "CONFIG" && at.used.contains("--resume") && !at.used.contains("--run")))
    found = runs(at.typed);
  else if (name == "--checkpoint")
    found = checkpoints(at.given.empty() ? "" : at.given.front());
  else if (name == "--set")
    found = settings(at.typed, !operands.empty() && operands.front().name() == "RUN");
  else if (found.empty() && at.asked->value == "TEXT")
    found = {{name == "CONFIG" ? "*.yaml" : name == "--run" ? "*/" : "*", ""}};
  for (auto& offer : found) offer.first.insert(0, at.before);
  found.emplace(found.begin(), "#", at.asked->help);
  return found;
}

Offers offers(const Command& program, const std::vector<std::string>& words) {
  const Cursor at = cursor_in(program, words);
  if (at.command == nullptr) return {};
  return at.asked != nullptr ? values(at) : commands_and_options(at);
}

struct CompleteArguments {
  std::string line;
  std::optional<std::string> part;
  const CLI::App* program = nullptr;
};

int run(const CompleteArguments& arguments) {
  const std::vector<std::string> words = split(arguments.line);
  const std::string& last = words.back();
  const std::string kept = last.substr(0, last.size() - std::min(last.size(), arguments.part.value_or(last).size()));
  for (const auto& [word, help] : offers(described(*arguments.program), words))
    if (word.starts_with(kept)) fmt::print("{}\t{}\n", word.substr(kept.size()), help);
  return 0;
}

// The scripts offer the words that `glossa complete` prints. The shell itself completes file names.

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

void add_complete(CommandTable& table) {
  const auto [command, arguments] = table.add<CompleteArguments>(
      {.name = "complete", .help = "Print the words that may stand at the end of a command line", .group = ""}, run);
  command.add_option("LINE", arguments.line, "command line up to the cursor");
  command.add_option("PART", arguments.part, "end of the last word, which the shell replaces (default: the word)");
  arguments.program = &table.parent();
}

}  // namespace glossa::commands
