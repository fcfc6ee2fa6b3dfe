// The manual and the shell completions agree with --help, and shells accept them.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

Strings words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string printed(const Strings& arguments) { return succeeded(glossa_program(arguments)).out; }

/// Commands as `glossa help` lists them: "train", "generate toy".
Strings commands() {
  const std::regex listed("\n  ([a-z]+) +[A-Z]");
  Strings all;
  const auto below = [&](const Strings& arguments) {
    const std::string help = printed(arguments);
    Strings names;
    for (auto match = std::sregex_iterator(help.begin(), help.end(), listed); match != std::sregex_iterator(); ++match)
      names.push_back((*match)[1]);
    return names;
  };
  for (const std::string& command : below({"help"})) {
    const Strings more = below({"help", command});
    for (const std::string& name : more) all.push_back(command + " " + name);
    if (more.empty()) all.push_back(command);
  }
  return all;
}

/// The long options in a command's help.
std::set<std::string> options_of(const std::string& command) {
  Strings arguments{"help"};
  for (const std::string& word : words_of(command)) arguments.push_back(word);
  const std::string help = printed(arguments);
  const std::regex option("\n  (?:-\\w,)?(--[a-z-]+)");
  std::set<std::string> names;
  for (auto match = std::sregex_iterator(help.begin(), help.end(), option); match != std::sregex_iterator(); ++match)
    names.insert((*match)[1]);
  return names;
}

/// Runs a script of bash in `folder`, which is its home and has programs.
Outcome shell(const std::string& script, const fs::path& folder) {
  return run_program(
      {.arguments = {"/bin/bash", "-c", "export HOME=$PWD PATH=$PWD:$PATH\n" + script}, .input = {}, .folder = folder});
}

bool has(const std::string& program) { return shell("command -v " + program, "/").status == 0; }

/// A folder with the files that the lines below complete.
struct CompletedFolder {
  CompletedFolder() {
    for (const char* name : {"recipes", "runs/demo/checkpoints", "runs/mine/checkpoints", "data/old"})
      fs::create_directories(folder / name);
    for (const char* name : {"recipes/toy.yaml", "recipes/notes.txt", "runs/demo/config.yaml", "runs/mine/config.yaml",
                             "runs/demo/checkpoints/update-00000350.ckpt", "text.en", "data/text.en"})
      write_bytes(folder / name, "");
    fs::create_symlink(tested_program(), folder / "glossa");
    write_bytes(folder / "completion", printed({"completion", "bash"}));
    write_bytes(folder / "_glossa", printed({"completion", "zsh"}));
  }
  TemporaryFolder folder;
};

/// A command line and the completions expected at its end.
struct Completion {
  std::string line;
  Strings offered;
};

const std::vector<Completion> questions{
    {"glossa tra", {"train", "translate"}},
    {"glossa help transl", {"translate"}},
    {"glossa generate t", {"toy"}},
    {"glossa generate toy --pa", {"--pairs"}},
    {"glossa translate runs/demo --on-bad-line ", {"warn", "stop"}},
    {"glossa completion ", {"bash", "zsh"}},
    {"glossa translate runs/demo --form", {"--format"}},
    {"glossa translate runs/demo --format ", {"text", "moses", "json"}},
    {"glossa translate runs/demo --beam ", {}},
    {"glossa translate runs/demo --checkpoint ", {"best", "last", "average:", "350"}},
    {"glossa translate \"runs/de\"mo --checkpoint 3", {"350"}},
    {"glossa translate ~/runs/demo --checkpoint 3", {"350"}},
    {"glossa translate runs/demo --set decode.le", {"decode.length_penalty="}},
    {"glossa translate runs/demo --set \"decode.le", {"decode.length_penalty="}},
    {"glossa translate runs/demo --set model.w", {}},
    {"glossa train recipes/toy.yaml --set model.w", {"model.width="}},
    {"glossa train r", {"recipes", "runs"}},
    {"glossa train -q --q", {}},
    {"glossa train recipes/toy.yaml --resume --set model.norm=", {"pre", "post"}},
    {"glossa train recipes/toy.yaml --set data.split=a", {"auto"}},
    {"glossa train recipes/toy.yaml --set optim.beta1=", {}},
};

/// Compares a shell's answers, one line of words per question, with the expected completions.
void check_answers(const std::vector<Completion>& completions, const std::string& answers) {
  const Strings lines = lines_of(answers);
  REQUIRE_EQ(lines.size(), completions.size());
  for (std::size_t i = 0; i < completions.size(); ++i) {
    const Strings words = words_of(lines[i]);
    const auto sorted = [&](const Strings& names) {
      return fmt::format("{} -> {}", completions[i].line,
                         fmt::join(std::set<std::string>(names.begin(), names.end()), " "));
    };
    CHECK_EQ(sorted(words), sorted(completions[i].offered));
  }
}

}  // namespace

TEST_CASE("the manual has every command and every option of the help, and renders without a warning") {
  const std::string page = printed({"manual"});
  const std::string text =
      std::regex_replace(std::regex_replace(page, std::regex(R"(\\f.)"), ""), std::regex(R"(\\-)"), "-");
  const Strings all = commands();
  CHECK_GT(all.size(), 15);
  for (const std::string& command : all) {
    CAPTURE(command);
    const std::size_t begin = text.find("\n.SS glossa " + command + "\n");
    REQUIRE_NE(begin, text.npos);
    const std::string chapter = text.substr(begin, text.find("\n.S", begin + 1) - begin);
    const auto options = options_of(command);
    CHECK(options.contains("--help"));
    for (const std::string& option : options) {
      CAPTURE(option);
      CHECK(std::regex_search(chapter, std::regex("\n(-., )?" + option + "( .*)?\n")));
    }
  }
  for (const std::string& line : lines_of(printed({"options"})))
    if (std::smatch row; std::regex_search(line, row, std::regex("^\\| `([a-z0-9_]+)` ")))
      CHECK_NE(text.find("." + row[1].str() + " ("), text.npos);
  CHECK(std::all_of(page.begin(), page.end(), [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));

  const TemporaryFolder folder;
  write_bytes(folder / "glossa.1", page);
  int renderers = 0;
  for (const char* command : {"man --warnings -l", "groff -man -ww -Tascii", "mandoc -W error -T ascii"}) {
    if (!has(std::string(command).substr(0, std::string(command).find(' ')))) continue;
    ++renderers;
    const Outcome shown = shell(std::string("MANWIDTH=80 ") + command + " glossa.1", folder.path());
    CAPTURE(command);
    CHECK_EQ(shown.status, 0);
    CHECK_EQ(shown.err, "");
    CHECK_NE(shown.out.find("glossa"), std::string::npos);
  }
  if (renderers == 0) MESSAGE("skipped: neither man nor groff nor mandoc is installed");
}

TEST_CASE("bash completes commands, options, values, runs, checkpoints and keys") {
  const CompletedFolder fixture;
  // COMP_WORDS as in bash: = and : are separate words, and a space at the end begins an empty one.
  std::string script = R"(
    compopt() { :; }
    source completion || exit 3
    ask() {
      local line=${1//=/ = }
      COMP_WORDS=(${line//:/ : })
      [[ $1 == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE=$1; COMP_POINT=${#1}
      local word=${COMP_WORDS[-1]}
      _glossa glossa "${word#[=:]}"
      echo "${COMPREPLY[*]}"
    }
)";
  std::vector<Completion> completions = questions;
  for (const Completion& more : std::vector<Completion>{
           {"glossa train ", {"recipes", "runs", "data"}},  // folders, as there is no YAML here
           {"glossa train recipes/", {"recipes/toy.yaml"}},
           {"glossa translate ", {"recipes", "runs", "data"}},
           {"glossa train --resume runs/", {"runs/demo", "runs/mine"}},
           {"glossa train --resume --run runs/demo recipes/", {"recipes/toy.yaml"}},
           {"glossa translate runs/", {"runs/demo", "runs/mine"}},
           {"glossa translate ~/runs/", {"~/runs/demo", "~/runs/mine"}},
           {"glossa translate runs/demo/checkpoints/", {"runs/demo/checkpoints/update-00000350.ckpt"}},
           {"glossa translate runs/demo --input te", {"text.en"}},
           {"glossa translate --beam 4 runs/m", {"runs/mine"}},
           {"glossa translate runs/demo --format=", {"text", "moses", "json"}},
           {"glossa train recipes/toy.yaml --set data.train=da", {"data"}},
           {"glossa ", {}},
           {"glossa nothing ", {}}})
    completions.push_back(more);
  for (const std::string& command : commands())
    completions[completions.size() - 2].offered.push_back(words_of(command).front());
  completions[completions.size() - 2].offered.push_back("help");
  for (const std::string& command : commands()) {
    const auto options = options_of(command);
    completions.push_back({"glossa " + command + " --", {options.begin(), options.end()}});
  }
  for (const Completion& each : completions) script += "ask '" + each.line + "'\n";
  const Outcome outcome = shell(script, fixture.folder.path());
  CHECK_EQ(outcome.err, "");
  check_answers(completions, outcome.out);
}

TEST_CASE("zsh completes commands, options, values, runs, checkpoints and keys") {
  if (!has("zsh")) {
    MESSAGE("skipped: zsh is not installed");
    return;
  }
  const CompletedFolder fixture;
  // An interactive zsh in its own terminal writes the completions it adds to `answers`; ^X ends a question.
  write_bytes(fixture.folder / "zshrc", R"(
    fpath=($PWD $fpath)
    autoload -Uz compinit
    compinit -D -u
    compadd() {
      if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
      local -a found
      builtin compadd -A found "$@"
      print -rn -- " "$found >> answers
      builtin compadd "$@"
    }
    finish() { print >> answers; BUFFER= }
    zle -N finish
    bindkey '^I' complete-word
    bindkey '^X' finish
)");
  std::vector<Completion> completions = questions;
  for (const Completion& more :
       std::vector<Completion>{{"glossa train recipes/", {"toy.yaml"}},
                               {"glossa train --resume runs/", {"demo", "mine"}},
                               {"glossa translate ~/runs/", {"demo", "mine"}},
                               {"glossa translate runs/demo --format=", {"text", "moses", "json"}},
                               {"glossa translate runs/demo --input te", {"text.en"}}})
    completions.push_back(more);
  std::string script = R"(
    zmodload zsh/zpty || exit 4
    : > answers
    wait_for() { repeat 1000 { (( $(wc -l < answers) >= $1 )) && return; sleep 0.02 }; exit 3 }
    zpty z zsh -f -i
    zpty -w z '. ./zshrc; print -n > answers; print >> answers'
    wait_for 1
    answered=1
    ask() { zpty -w -n z "$1"$'\t\x18'; wait_for $((++answered)) }
)";
  for (const Completion& each : completions) script += "ask '" + each.line + "'\n";
  write_bytes(fixture.folder / "ask", script + "zpty -d z\n");
  const Outcome outcome = shell("zsh -f ask", fixture.folder.path());
  if (outcome.status == 4) {
    MESSAGE("skipped: this zsh cannot open pseudo-terminals");
    return;
  }
  CHECK_EQ(outcome.status, 0);
  CHECK_EQ(outcome.err, "");
  const std::string answers = read_bytes(fixture.folder / "answers");
  check_answers(completions, answers.substr(answers.find('\n') + 1));
}

TEST_CASE("no line is too odd to complete, and no help lists the command that completes it") {
  for (const char* line : {"", " ", "glossa", "glossa '", "glossa \"\\", "glossa train --set =",
                           "glossa train --=\"= '", "glossa translate ~/ --checkpoint ", "glossa nothing --here \xff"})
    for (const char* part : {"", "=", "longer than the line that it ends"}) {
      CAPTURE(line);
      CHECK_EQ(succeeded(glossa_program({"complete", "--", line, part})).err, "");
    }
  CHECK_EQ(printed({"complete", "glossa attention --htm"}).substr(0, 3), "-h\t");
  CHECK_EQ(printed({"help"}).find("complete"), std::string::npos);
}

TEST_CASE("a shell without a completion is refused") {
  check_refused(glossa_program({"completion", "fish"}), 2, {"SHELL", "fish", "bash"});
  check_refused(glossa_program({"completion"}), 2, {"SHELL"});
}
