// Power cuts: from one run's calls, builds every disk state possible after any of them, and reads it as --resume does.
#include "tests/disk/power_cut.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "tests/disk/child.h"
#include "tests/disk/share.h"
#include "tests/disk/workload.h"
#include "tests/support/temporary_folder.h"

using namespace glossa::disk;
using glossa::testing::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

bool is_log(const std::string& path) {
  return path.ends_with("train.log") || path.ends_with("metrics.jsonl") || path.find("samples") != path.npos;
}

/// Results of the power cuts.
struct Cuts {
  std::size_t calls = 0, resumed = 0;
  std::map<Snapshot, RunState> states;
  std::string complaint;  ///< the first
};

/// Kills the work after its first `killed_after` calls and repeats it to the end; cuts the power after every call of
/// the latter.
void cut_power(Cuts& cuts, const Workload& workload, const CleanRun& first, std::size_t killed_after) {
  PowerCutDisk disk(workload.before);
  for (std::size_t i = 0; i < killed_after; ++i) disk.apply(first.calls[i]);
  const CleanRun done = run_cleanly(workload, disk.now(), first.announced[killed_after]);
  const TemporaryFolder folder(fast_folder());
  Snapshot present;
  for (std::size_t i = 0; i < done.calls.size(); ++i) {
    const Call& call = done.calls[i];
    disk.apply(call);
    ++cuts.calls;
    if (call.kind == Kind::read || call.kind == Kind::close) continue;
    for (const Snapshot& snapshot : disk.after_power_cut([](const std::string& path) { return !is_log(path); })) {
      auto at = cuts.states.find(snapshot);
      if (at == cuts.states.end()) {
        lay_out(folder.path(), present, snapshot);
        present = snapshot;
        at = cuts.states.emplace(snapshot, run_state(folder / "run")).first;
      }
      const std::string complaint = glossa::disk::complaint(at->second, done.announced[i + 1]);
      if (!complaint.empty() && cuts.complaint.empty())
        cuts.complaint =
            fmt::format("killed after {} calls, then power cut after {}: {}", killed_after, text_of(call), complaint);
    }
  }
  if (disk.now() != done.folder) cuts.complaint += "the record of calls is incomplete. ";
}

/// Repeats the work from about `count` of the states.
void resume_some(Cuts& cuts, const Workload& workload, const std::string& result, std::size_t count) {
  std::size_t number = 0;
  for (const auto& [snapshot, _] : cuts.states) {
    if (!cuts.complaint.empty() || number++ % (cuts.states.size() / count + 1) != 0) continue;
    const TemporaryFolder folder(fast_folder());
    lay_out(folder.path(), {}, snapshot);
    const ChildResult ended = in_child([&] {
      const Watch watch(folder.path());
      workload.work(folder.path());
      return workload.result(folder.path());
    });
    if (ended.signal != 0 || ended.text != result)
      cuts.complaint = "not the result of the undisturbed run: " + ended.text;
    ++cuts.resumed;
  }
}

void check(const Workload& workload, std::size_t kill_points, std::size_t resumed) {
  const CleanRun first = run_cleanly(workload, workload.before);
  Cuts cuts;
  for (std::size_t i = 0; i < kill_points; ++i) cut_power(cuts, workload, first, i * first.calls.size() / kill_points);
  resume_some(cuts, workload, first.result, resumed);
  CHECK_EQ(cuts.complaint, "");
  CHECK_GT(cuts.states.size(), first.calls.size());
  MESSAGE(fmt::format("{} runs of {} calls in all, {} states of the disk, {} resumed", kill_points, cuts.calls,
                      cuts.states.size(), cuts.resumed));
}

}  // namespace

TEST_CASE("power cuts while checkpoints are saved leave a complete one, as new as announced") { check(saves(), 1, 20); }

TEST_CASE("power cuts during training: the run resumes to the same end") { check(training(), 1, 100 / share(1)); }

TEST_CASE("power cuts after a kill while checkpoints are saved: the unfinished work is completed") {
  check(saves(), 40 / share(1), 40 / share(1));
}

TEST_CASE("power cuts after a kill during training: the run resumes to the same end") {
  check(training(), std::max<std::size_t>(2, 5 / share(1) + 1), 40 / share(1));  // the first try kills nothing
}

TEST_CASE("a simulated power cut keeps or drops each change that was not synced, and may shorten or zero files") {
  const std::string one(5000, '1'), two(3000, '2');
  const auto all = [](const std::string&) { return true; };
  PowerCutDisk disk({{"a", {Entry::Kind::file, kept(one)}}});
  const auto may_hold = [&](const std::string& name, const std::string& text) {
    return std::ranges::any_of(disk.after_power_cut(all), [&](const Snapshot& snapshot) {
      const auto found = snapshot.find(name);
      return found != snapshot.end() && *found->second.text == text;
    });
  };
  const auto may_lack = [&](const std::string& name) {
    return std::ranges::any_of(disk.after_power_cut(all),
                               [&](const Snapshot& snapshot) { return !snapshot.contains(name); });
  };
  CHECK_EQ(disk.after_power_cut(all).size(), 1);

  disk.apply({.kind = Kind::open, .path = "a", .text = {}, .handle = 1});
  disk.apply({.kind = Kind::write, .path = "a", .text = two, .number = 4000, .handle = 1});
  CHECK(may_hold("a", one));
  CHECK(may_hold("a", one.substr(0, 4000) + two));
  CHECK(may_hold("a", one.substr(0, 4000) + two.substr(0, 96) + one.substr(4096)));  // only its first block
  CHECK(may_hold("a", one + std::string(2000, '\0')));                               // longer, but not written
  CHECK_FALSE(may_hold("a", one.substr(0, 4096)));                                   // shorter than ever
  disk.apply({.kind = Kind::sync, .path = "a", .text = {}, .handle = 1});
  CHECK_FALSE(may_hold("a", one));
  CHECK_EQ(disk.after_power_cut(all).size(), 1);

  disk.apply({.kind = Kind::open, .path = "b", .text = {}, .handle = 2});
  disk.apply({.kind = Kind::write, .path = "b", .text = two, .handle = 2});
  disk.apply({.kind = Kind::rename, .path = "b", .text = "a"});
  CHECK(may_hold("a", ""));  // the rename came before the bytes
  CHECK(may_hold("a", two));
  CHECK(may_hold("a", one.substr(0, 4000) + two));
  disk.apply({.kind = Kind::sync, .path = "b", .text = {}, .handle = 2});
  CHECK_FALSE(may_hold("a", ""));
  CHECK(may_lack("b"));
  CHECK_FALSE(may_lack("a"));

  disk.apply({.kind = Kind::symlink, .path = "link", .text = "a"});
  disk.apply({.kind = Kind::remove, .path = "a", .text = {}});
  CHECK(may_lack("a"));
  CHECK(may_lack("link"));
  CHECK(std::ranges::any_of(disk.after_power_cut(all), [](const Snapshot& snapshot) {
    return snapshot.contains("link") && !snapshot.contains("a");
  }));
  disk.apply({.kind = Kind::open, .path = "", .text = {}, .handle = 3});
  disk.apply({.kind = Kind::sync, .path = "", .text = {}, .handle = 3});
  CHECK_EQ(disk.after_power_cut(all), std::vector<Snapshot>{{{"link", {Entry::Kind::link, kept("a")}}}});
}
