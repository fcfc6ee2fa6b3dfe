#include <fmt/ranges.h>

#include <cstdio>
#include <map>

#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "app/commands/description.h"
#include "base/version.h"
#include "config/config.h"

namespace glossa::commands {
namespace {

/// Escapes text so that troff prints it literally, anywhere in a line.
std::string plain(std::string_view text) {
  static const std::map<char, std::string> escapes{{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"}, {'`', "\\(ga"},
                                                   {'^', "\\(ha"}, {'~', "\\(ti"}, {'"', "\\(dq"}};
  std::string escaped;
  for (const char c : text) {
    const auto found = escapes.find(c);
    escaped += found == escapes.end() ? std::string(1, c) : found->second;
  }
  return escaped.starts_with('.') ? "\\&" + escaped : escaped;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string slanted(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

/// Formats a list entry: a heading and its explanation.
std::string entry(const std::string& head, std::string_view text) { return ".TP\n" + head + "\n" + plain(text) + "\n"; }

/// Formats an argument: "-v, --verbose" or "--beam INT".
std::string shown(const Argument& argument) {
  std::vector<std::string> names;
  for (const std::string& name : argument.names) names.push_back(name[0] == '-' ? bold(name) : slanted(name));
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (argument.names.front()[0] != '-' || argument.value.empty()) return text;
  return text + " " +
         (argument.choices.empty() ? slanted(argument.value)
                                   : plain(fmt::format("{}", fmt::join(argument.choices, "|"))));
}

std::string synopsis(const Command& command) {
  std::string line = bold("glossa " + command.name) + " [" + slanted("OPTIONS") + "]";
  for (const Argument& word : command.words) {
    const std::string text = slanted(word.name()) + (word.repeats ? " ..." : "");
    line += word.required ? " " + text : " [" + text + "]";
  }
  for (const Argument& option : command.options)
    if (option.required) line += " " + shown(option);
  return line;
}

std::string chapter(const Command& command) {
  std::string text =
      ".SS " + plain("glossa " + command.name) + "\n" + synopsis(command) + "\n.PP\n" + plain(command.help) + ".\n";
  for (const auto* arguments : {&command.words, &command.options})
    for (const Argument& argument : *arguments) text += entry(shown(argument), argument.help);
  return text;
}

/// Appends the commands that do not have subcommands, in help order: `generate toy`, but not `generate`.
void add_chapters(const Command& command, std::string& page) {
  if (command.below.empty()) page += chapter(command);
  for (const Command& below : command.below) add_chapters(below, page);
}

/// Returns the manual page, glossa(1), for troff.
std::string manual_page(const Command& program) {
  std::string page = fmt::format(
      ".TH GLOSSA 1 \"\" \"glossa {}\" \"User Commands\"\n"
      ".SH NAME\nglossa \\- train and run translation Transformers on a CPU\n"
      ".SH SYNOPSIS\n.B glossa\n{}\n.br\n.B glossa help\n{}\n"
      ".SH DESCRIPTION\n"
      "glossa trains encoder\\-decoder Transformers for translation on the processor of an ordinary computer, and\n"
      "translates with them. A configuration in YAML sets what is trained and how; {} overrides any of its options on\n"
      "the command line. Training creates the folder of a run, which other commands read.\n",
      program_version, slanted("COMMAND") + " ...", slanted("COMMAND"), bold("--set"));
  for (const Argument& option : program.options) page += entry(shown(option), option.help);
  page += ".SH COMMANDS\n";
  add_chapters(program, page);
  page += ".SH CONFIGURATION\nKeys of a configuration file and of " + bold("--set") +
          ", with defaults and ranges. Periods have a unit: 500u updates, 2e epochs, 10Mt target tokens. With " +
          bold("auto") + ", the corpus decides.\n";
  for (const OptionSection& section : option_sections()) {
    page += ".SS " + plain(section.name + ": " + section.help) + "\n";
    for (const Option<Config>& option : all_options())
      if (option.key.starts_with(section.name + "."))
        page += entry(bold(option.key) + " " + plain("(" + option.text(Config{}) + ")"),
                      option.help + "; " + option.accepts);
  }
  page += ".SH EXIT STATUS\n" + entry("0", "Success, including training that was stopped by a signal and saved.") +
          entry("1", "A file, the data or the numbers were at fault, or some lines could not be translated.") +
          entry("2", "The command line or the configuration is invalid.");
  page += ".SH ENVIRONMENT\n" +
          entry(bold("GLOSSA_ISA"),
                "Instructions for products in bf16 and int8: plain, avx2, avxvnni, vnni, avx512bf16 or "
                "amx. By default the best that the processor has.");
  page += ".SH FILES\n" + entry(slanted("RUN") + plain("/config.yaml"), "The run's configuration, with every option.") +
          entry(slanted("RUN") + plain("/checkpoints/"), "Checkpoints; the links last and best point to two of them.") +
          entry(slanted("RUN") + plain("/int8.weights"), "In place of checkpoints: a model that decodes in int8.") +
          entry(slanted("RUN") + plain("/train.log") + ", " + slanted("RUN") + plain("/metrics.jsonl"),
                "The log of training, for people and for programs.");
  page += ".SH EXAMPLES\nTrain on two files of sentences, text.en and text.hi, and translate:\n.PP\n.nf\n.RS\n" +
          plain("glossa train small-pair.yaml --run runs/mine --set data.train=text") + "\n    " +
          plain("--set data.source=en --set data.target=hi") + "\n" +
          plain("echo how are you | glossa translate runs/mine --beam 4") + "\n.RE\n.fi\n";
  return page;
}

struct ManualArguments {
  const CLI::App* program = nullptr;
};

int run(const ManualArguments& arguments) {
  std::fputs(manual_page(described(*arguments.program)).c_str(), stdout);
  return 0;
}

}  // namespace

void add_manual(CommandTable& table) {
  const auto [command, arguments] =
      table.add<ManualArguments>({.name = "manual", .help = "Print the manual page, glossa(1)", .group = "Help"}, run);
  arguments.program = &table.parent();
}

}  // namespace glossa::commands
