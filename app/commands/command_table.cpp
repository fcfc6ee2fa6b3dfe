#include "app/commands/command_table.h"

#include "base/available_memory.h"
#include "base/check.h"
#include "base/stopwatch.h"
#include "train/console/print.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

CLI::App& add_to(CLI::App& parent, const CommandHead& head) {
  return *parent.add_subcommand(head.name, head.help)->group(head.group);
}

}  // namespace

CommandTable CommandTable::add_table(const CommandHead& head) const {
  CLI::App& command = add_to(parent_, head);
  command.require_subcommand(1);
  return {command, status_, job_};
}

CLI::App& CommandTable::add_command(const CommandHead& head, bool in_a_job, std::function<int()> run) const {
  CLI::App& command = add_to(parent_, head);
  command.callback([head, in_a_job, run = std::move(run), &status = status_, &job = job_] {
    if (job.is_several() && !in_a_job)
      throw CommonError(Error::Kind::misuse, head.name,
                        "expected one process; got {}. Hint: only train, translate, evaluate and some of bench run in "
                        "several",
                        job.count());
    const Stopwatch watch;
    status = run();
    if (status == 0)  // otherwise the error should be the last line
      print_detail("note: {} took {:.1f} s and at most {:.0f} MiB, with {}\n", head.name, watch.seconds(),
                   peak_rss_mb(), describe_runtime());
  });
  return command;
}

}  // namespace glossa::commands
