#include "app/command_line/command_table.h"

#include <fmt/ranges.h>

#include "base/available_memory.h"
#include "base/check.h"
#include "base/console/print.h"
#include "base/stopwatch.h"
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
  return {command, invocation_};
}

CLI::App& CommandTable::add_command(const CommandHead& head, bool in_a_job, std::function<int()> run) const {
  CLI::App& command = add_to(parent_, head);
  if (in_a_job) invocation_.in_jobs.push_back(head.name);
  command.callback([head, in_a_job, run = std::move(run), &invocation = invocation_] {
    if (invocation.job.is_several() && !in_a_job)
      throw CommonError(Error::Kind::misuse, head.name, "expected one process; got {}. Hint: only {} run in several",
                        invocation.job.count(), fmt::join(invocation.in_jobs, ", "));
    const Stopwatch watch;
    invocation.status = run();
    if (invocation.status == 0)  // after a failure, the error message should be the last line
      print_detail("note: {} took {:.1f} s and at most {:.0f} MiB, with {}\n", head.name, watch.seconds(),
                   peak_rss_mb(), describe_runtime());
  });
  return command;
}

}  // namespace glossa::commands
