#include <cstdio>

#include "autograd/check.h"
#include "train/commands/command_line.h"
#include "train/config/config_terms.h"
#include "train/console/failure.h"
#include "train/console/tell.h"
#include "train/console/version.h"
#include "train/processes/job.h"
#include "train/runtime.h"

namespace {

/// Standard error as it was when the program started.
std::FILE* const errors = stderr;

/// Enters the job of several processes that this is one of. What the first of them tells the others would tell again.
void join_job() {
  if (glossa::processes_started() == 1) return;
  static glossa::JobMembership membership;
  if (glossa::job().is_first()) return;
  std::FILE* const nowhere = std::fopen("/dev/null", "w");
  if (nowhere != nullptr) stderr = stdout = nowhere;  // what a crash leaves goes to the descriptor, which stays
}

void tell(const std::string& text) { glossa::tell_error(errors, "{}", glossa::in_config_terms(text)); }

/// Tells what this process has found, alone or before the others, and ends them. Returns the exit status.
int end(const glossa::Failure& failure) {
  const glossa::Job& job = glossa::job();
  if (job.is_several())
    glossa::end_job(failure.status, [&] {
      tell(failure.text + (job.is_first() ? "" : fmt::format(" ({})", job.place().name(job.rank()))));
    });
  if (job.is_first()) tell(failure.text);
  return failure.status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("glossa: trains encoder-decoder Transformers for translation on a CPU", "glossa");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(glossa::program_version));
  app.footer("`glossa help SUBCOMMAND` tells more of one.");
  int status = 0;
  glossa::commands::add_commands(app, status);
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.push_back("--help");
  }
  try {
    join_job();
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as the library wants them
    glossa::check(std::fflush(stdout) == 0 && std::ferror(stdout) == 0, "standard output",
                  "expected room for the output; writing failed. Hint: is the disk full?");
    return status;
  } catch (const CLI::ParseError& error) {
    std::string text = glossa::commands::about_unknown_word(app, words);
    // Help and version are no errors; everything else on the command line is misuse.
    if (error.get_exit_code() == 0 && text.empty()) return app.exit(error);
    if (text.empty()) text = error.what() + std::string(". Hint: add --help to see what is expected");
    return end({2, "[command line] " + text});
  } catch (const glossa::CommonError& error) {
    if (glossa::job().is_first()) tell(error.what());
    return error.exit_status();
  } catch (...) {
    return end(glossa::failure_of(std::current_exception()));
  }
}
