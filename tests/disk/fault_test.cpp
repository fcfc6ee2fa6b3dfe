// Failing calls and killed processes: every call of a run is disturbed in turn.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/atomic_file.h"
#include "tests/disk/child.h"
#include "tests/disk/power_cut.h"
#include "tests/disk/share.h"
#include "tests/disk/workload.h"
#include "tests/support/temporary_folder.h"

using namespace glossa::disk;
using glossa::testing::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// The required result of a fault.
enum class Answer { success, error, either };

struct Trial {
  Fault fault;
  Answer answer;
};

bool is_temporary(const std::string& path) { return glossa::is_temporary_name(fs::path(path).filename().string()); }

bool only_read(const Call& call) { return (call.flags & O_ACCMODE) == O_RDONLY; }

/// True for a file whose bytes do not matter: a log, or the lock.
bool is_loose(const Call& call) { return (call.flags & O_APPEND) != 0 || call.path.ends_with(".lock"); }

std::vector<int> codes_of(const Call& call) {
  switch (call.kind) {
    case Kind::open:
      return only_read(call) ? std::vector{EIO, EMFILE, EINTR} : std::vector{EIO, ENOSPC, EDQUOT, EMFILE, EINTR};
    case Kind::read:
      return {EIO, EINTR};
    case Kind::write:
    case Kind::close:
      return {EIO, ENOSPC, EDQUOT, EINTR};
    case Kind::sync:
      return call.flags & O_DIRECTORY ? std::vector{EIO, ENOSPC, EDQUOT, EINTR, EINVAL}
                                      : std::vector{EIO, ENOSPC, EDQUOT, EINTR};
    case Kind::allocate:
      return {EIO, ENOSPC, EDQUOT, EINTR, EOPNOTSUPP};
    case Kind::rename:
    case Kind::symlink:
    case Kind::make_folder:
      return {EIO, ENOSPC, EDQUOT};
    case Kind::truncate:
    case Kind::remove:
      return {EIO};
    case Kind::mark:
      break;
  }
  return {};
}

Answer answer_to(const Call& call, int code) {
  const bool named_checkpoint = call.path.ends_with(".ckpt");
  switch (call.kind) {
    case Kind::read:
    case Kind::write:
    case Kind::allocate:
      if (code == EINTR && call.path.ends_with(".lock")) return Answer::either;
      if (code == EINTR || code == EOPNOTSUPP) return Answer::success;  // repeated; unsupported by the file system
      return named_checkpoint ? Answer::either : Answer::error;         // an older one will do
    case Kind::open:
      return code == EINTR || named_checkpoint ? Answer::either : Answer::error;
    case Kind::sync:
      return code == EINVAL ? Answer::success : Answer::error;  // for a folder on some network file systems
    case Kind::close:
      return only_read(call) || is_loose(call) ? Answer::either : Answer::error;
    case Kind::remove:
      return Answer::either;
    default:
      return Answer::error;
  }
}

std::vector<Trial> trials_of(const Call& call, std::size_t at) {
  std::vector<Trial> trials;
  for (const int code : codes_of(call)) trials.push_back({{Fault::Kind::fail, at, code}, answer_to(call, code)});
  if (call.kind == Kind::read || (call.kind == Kind::write && call.text.size() > 1))
    trials.push_back({{Fault::Kind::shorten, at}, Answer::success});
  if (call.kind == Kind::write && is_temporary(call.path) && call.path.find(".ckpt.") != call.path.npos)
    trials.push_back({{Fault::Kind::garble, at}, Answer::error});
  return trials;
}

/// The name that an error about a call must contain.
std::string name_for_people(const Call& call) {
  std::string name = fs::path(call.kind == Kind::rename ? call.text : call.path).filename();
  if (is_temporary(name)) {  // .NAME.PROCESS-NUMBER.glossa-tmp
    name = name.substr(1, name.rfind('.') - 1);
    name = name.substr(0, name.rfind('.'));
  }
  return name;
}

std::string complaint_about_error(const std::string& text, const Call& call, const Fault& fault) {
  const auto has = [&](const std::string& part) { return text.find(part) != text.npos; };
  const bool no_space = fault.kind == Fault::Kind::fail && (fault.code == ENOSPC || fault.code == EDQUOT);
  const bool tells = text.starts_with("threw [") && (has("] cannot ") || (has("] expected ") && has("got"))) &&
                     has(name_for_people(call)) &&
                     (fault.kind != Fault::Kind::fail || has(std::strerror(fault.code))) &&
                     (!no_space || !is_temporary(call.path) || has(" bytes needed, "));
  return tells ? "" : "an error without its place, cause or file: " + text;
}

/// Temporary files, except those in `before`.
std::string temporary_files(const fs::path& folder, const Snapshot& before) {
  std::string names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().lexically_relative(folder);
    if (is_temporary(path) && !before.contains(path)) names += " " + path;
  }
  return names.empty() ? "" : "left behind:" + names + ". ";
}

/// The state before the work begins.
struct Start {
  Snapshot before;
  std::uint64_t announced = 0;
};

/// Work that is disturbed at one call, checked, and then repeated.
class DisturbedRun {
 public:
  DisturbedRun(const Workload& workload, const Start& start)
      : workload_(workload), before_(start.before), whole_(run_cleanly(workload, start.before, start.announced)) {}

  const CleanRun& whole() const { return whole_; }

  std::string complaint(const Trial& trial, const Call& call, std::uint64_t announced) const {
    const TemporaryFolder folder(fast_folder());
    lay_out(folder.path(), {}, before_);
    const ChildResult ended = work(folder.path(), trial.fault);
    const bool killed = trial.fault.kind == Fault::Kind::kill || trial.fault.kind == Fault::Kind::kill_half_way;
    if (ended.signal != (killed ? SIGKILL : 0)) return fmt::format("ended by signal {}", ended.signal);
    std::string found;
    const bool threw = ended.text.starts_with("threw ");
    const bool wanted = trial.answer == Answer::error;
    if (!killed && trial.answer != Answer::either && threw != wanted)
      return wanted ? "continued as if nothing had happened" : ended.text;
    if (threw) found += complaint_about_error(ended.text, call, trial.fault);
    if (!killed && call.kind != Kind::remove) found += temporary_files(folder.path(), threw ? before_ : Snapshot());
    found += glossa::disk::complaint(run_state(folder / "run"), announced);
    if (!killed && !threw) return found + difference(ended.text);
    const ChildResult again = work(folder.path(), {});
    if (again.signal != 0) return found + fmt::format("the next one ended by signal {}", again.signal);
    return found + difference(again.text) + temporary_files(folder.path(), {});
  }

 private:
  ChildResult work(const fs::path& folder, const Fault& fault) const {
    return in_child([&] {
      const Watch watch(folder, fault);
      workload_.work(folder);
      return workload_.result(folder) + workload_.records(folder);
    });
  }

  std::string difference(const std::string& got) const {
    return got == whole_.result + whole_.records ? "" : "not the end of the undisturbed run: " + got;
  }

  const Workload& workload_;
  const Snapshot before_;
  CleanRun whole_;
};

struct Count {
  std::size_t calls = 0, trials = 0;
  std::vector<std::string> complaints;
};

/// Disturbs each call of the work in each way, or every `share`-th.
Count disturb(const Workload& workload, const Start& start, std::size_t share,
              const std::function<std::vector<Trial>(const Call& call, std::size_t at)>& trials) {
  const DisturbedRun disturbed(workload, start);
  Count count;
  std::size_t number = 0;
  for (std::size_t i = 0; i < disturbed.whole().calls.size() && count.complaints.size() < 3; ++i) {
    const Call& call = disturbed.whole().calls[i];
    if (call.kind == Kind::mark) continue;
    for (const Trial& trial : trials(call, count.calls)) {
      if (number++ % share != 0) continue;
      const std::string complaint = disturbed.complaint(trial, call, disturbed.whole().announced[i]);
      if (!complaint.empty())
        count.complaints.push_back(
            fmt::format("call {}, {}, fault {} {}: {}", count.calls, text_of(call), static_cast<int>(trial.fault.kind),
                        trial.fault.code == 0 ? "" : std::strerror(trial.fault.code), complaint));
      ++count.trials;
    }
    ++count.calls;
  }
  return count;
}

/// The state after a kill amid the second save, with a line of the metrics begun.
Start killed_in_second_save(const Workload& workload) {
  PowerCutDisk disk(workload.before);
  int named = 0;
  for (const Call& call : run_cleanly(workload, workload.before).calls) {
    if (call.kind == Kind::symlink && (named += call.path.find("/.last.") != call.path.npos) == 2) break;
    disk.apply(call);
  }
  Snapshot snapshot = disk.now();
  snapshot["run/checkpoints/.update-00000003.ckpt.1-0.glossa-tmp"] = {Entry::Kind::file, kept("half")};
  if (const auto metrics = snapshot.find("run/metrics.jsonl"); metrics != snapshot.end())
    metrics->second.text = kept(*metrics->second.text + "{\"update\":3,\"ep");
  return {snapshot, 1};
}

std::vector<Trial> kills_at(const Call& call, std::size_t at) {
  std::vector<Trial> trials{{{Fault::Kind::kill, at}, Answer::either}};  // before this one is after the previous one
  if (call.kind == Kind::write && call.text.size() > 1)
    trials.push_back({{Fault::Kind::kill_half_way, at}, Answer::either});
  return trials;
}

void check(const Count& count) {
  for (const std::string& complaint : count.complaints) FAIL_CHECK(complaint);
  CHECK_GT(count.trials, 0);
  MESSAGE(fmt::format("{} calls, {} disturbances", count.calls, count.trials));
}

}  // namespace

TEST_CASE("a call fails while checkpoints are saved: an error or the right result, and nothing is lost") {
  check(disturb(saves(), {}, share(1), trials_of));
}

TEST_CASE("a call fails while a log is written: an error, or every line exactly once") {
  const Workload workload = log();
  check(disturb(workload, {workload.before}, share(1), trials_of));
}

TEST_CASE("a call fails during training: an error or the right result, and --resume reaches the same end") {
  const Workload workload = training();
  check(disturb(workload, {workload.before}, share(2), trials_of));
}

TEST_CASE("a call fails in a resumed run: an error or the right result, and the next resume reaches the same end") {
  check(disturb(saves(), killed_in_second_save(saves()), share(1), trials_of));
  check(disturb(training(), killed_in_second_save(training()), share(4), trials_of));
}

TEST_CASE("a kill while checkpoints are saved: nothing is lost") { check(disturb(saves(), {}, share(1), kills_at)); }

TEST_CASE("a kill during training: --resume reaches the same end") {
  const Workload workload = training();
  check(disturb(workload, {workload.before}, share(1), kills_at));
}

TEST_CASE("a kill in a resumed run: the next resume reaches the same end") {
  check(disturb(saves(), killed_in_second_save(saves()), share(1), kills_at));
  check(disturb(training(), killed_in_second_save(training()), share(2), kills_at));
}
