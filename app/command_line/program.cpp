#include "app/command_line/program.h"

#include <execinfo.h>

#include <algorithm>
#include <cstdio>
#include <ranges>

#include "app/command_line/command_table.h"
#include "autograd/sanitizer.h"
#include "base/check.h"
#include "base/console/failure.h"
#include "base/console/print.h"
#include "base/version.h"
#include "config/config_terms.h"
#include "config/unknown_name.h"
#include "data/text/shell_word.h"
#include "train/processes/job.h"
#include "train/run.h"
#include "train/signals.h"

namespace glossa::commands {

namespace {

/// The original standard error, because `join` may redirect `stderr`.
std::FILE* const errors = stderr;

/// Joins the other processes, if any. Silences this process unless it is the first, so that a text is printed once.
void join(Job& job) {
  job.join();
  if (job.is_first()) return;
  std::FILE* const nowhere = std::fopen("/dev/null", "w");
  if (nowhere != nullptr) stderr = stdout = nowhere;  // the old descriptors stay open for reports of crashes
}

void print_failure(const Error& error, const std::string& process = "") {
  print_error(errors, "{}{}", in_config_terms(error).what(), process);
}

/// Called before any other code, because the constructors of libraries may run out of memory. Under a sanitizer, the
/// sanitizer's own code must run first.
#if !GLOSSA_SANITIZES(address) && !GLOSSA_SANITIZES(thread)
[[gnu::section(".preinit_array"), gnu::used]] void (*const at_start)() = end_without_signal_if_out_of_memory;
#endif

/// Loads the library code that ends a thread. The C library would otherwise load it when a thread ends, and would abort
/// if memory ran out.
void load_unwinder() {
  void* frame = nullptr;
  backtrace(&frame, 1);
}

/// Adds -q and -v to every command that runs, after the command's own options.
void add_verbosity(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    add_verbosity(*command);
    if (command->get_require_subcommand_min() > 0) continue;
    CLI::Option* quiet = command->add_flag_callback(
        "-q,--quiet", [] { set_verbosity(Verbosity::quiet); }, "print warnings and errors only");
    command
        ->add_flag_callback(
            "-v,--verbose", [] { set_verbosity(Verbosity::verbose); },
            "print more: files read, unknown words, a run's configuration, time and memory")
        ->excludes(quiet);
  }
}

/// Returns the error about a command that has moved to another program.
Error::Parts about_moved(const MovedCommand& moved, const std::vector<std::string>& words) {
  std::string meant = moved.program;
  for (const std::string& word : words | std::views::drop(1)) meant += " " + shell_word(word);
  return unknown_name("command line", "command", words.front(), {meant}, "").with_hint(moved.hint);
}

/// Returns the error about the first word that the command does not accept; empty if it accepts all words.
std::optional<Error::Parts> about_unknown_word(const CLI::App& app, const std::vector<std::string>& words) {
  const std::vector<std::string> rest = app.remaining(true);
  if (rest.empty()) return {};
  CommandWords known{.command = app.get_name(), .commands = {}, .options = {}};
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    known.command += " " + command->get_name();
  }
  for (const CLI::App* below : command->get_subcommands([](const CLI::App* each) { return each->get_group() != ""; }))
    known.commands.push_back(below->get_name());
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) known.options.push_back(name);
    if (option->get_positional()) known.places.push_back(option->get_name(true));
    if (option->check_lname("input"))
      known.reads_text = option->get_description().ends_with("(default: standard input)");
  }
  if (command->get_option_no_throw("RUN") != nullptr) known.takes_key = is_of_use;
  if (const std::string set = set_in_several_words(words, rest.front()); !set.empty())
    return unknown_name("command line", "argument", rest.front(), {shell_command({"--set", set})}, "")
        .with_hint("section.key=value is one word");
  if (const auto resume = std::ranges::find(words, "--resume"); words.end() - resume > 1 && resume[1] == "auto")
    return unknown_name("command line", "argument", rest.front(), {"--resume=auto"}, "");
  const auto at = std::find(words.begin(), words.end(), rest.front());
  const bool has_value = std::distance(at, words.end()) > 1 && !at[1].starts_with("--");
  return unknown_word(known, rest.front(), has_value ? at[1] : "VALUE");
}

/// Runs the command given by `words`, the words after the program's name, in this process of `job`. Returns the
/// command's exit status. If the words are not a valid command, throws a misuse error whose text begins with [command
/// line]. Lets errors of the command itself pass through.
int run(const Program& program, std::vector<std::string> words, const Job& job) {
  CLI::App app(fmt::format("{}: {}", program.name, program.help), program.name);
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(program_version));
  app.footer(fmt::format("Run `{} help SUBCOMMAND` for details.", program.name));
  Invocation invocation{.job = job};
  CommandTable table(app, invocation);
  program.add_commands(table);
  add_verbosity(app);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.push_back("--help");
  }
  if (program.moved && !words.empty() && words.front() == program.moved->name)
    throw Error(Error::Kind::misuse, about_moved(*program.moved, words));
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 expects the words in reverse
    return invocation.status;
  } catch (const CLI::ParseError& error) {
    const std::optional<Error::Parts> unknown = about_unknown_word(app, words);
    // Help and version are not errors; everything else on the command line is misuse.
    if (unknown) throw Error(Error::Kind::misuse, *unknown);
    if (error.get_exit_code() == 0) return app.exit(error);
    misuse("command line", "{}. Hint: --help shows the usage", error.what());
  }
}

int join_and_run(const Program& program, int argc, char** argv) {
  Job job;
  try {
    load_unwinder();
    take_signals_aside();
    join(job);
    const int status = run(program, {argv + 1, argv + argc}, job);
    check(std::fflush(stdout) == 0 && std::ferror(stdout) == 0, "standard output",
          "cannot write the output. Hint: the disk may be full");
    return status;
  } catch (const CommonError& error) {
    if (job.is_first()) print_failure(error);
    return error.exit_status();
  } catch (...) {
    const Error failure = failure_of(std::current_exception());
    if (job.is_several())
      job.end(failure.exit_status(), [&] {
        print_failure(failure, job.is_first() ? "" : fmt::format(" ({})", job.place().name(job.rank())));
      });
    if (job.is_first()) print_failure(failure);
    return failure.exit_status();
  }
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) noexcept {
  try {
    return join_and_run(program, argc, argv);
  } catch (...) {  // even reporting the failure failed
    print_out_of_memory();
    return 1;
  }
}

}  // namespace glossa::commands
