// A resumed run restores everything from TrainingState.
#include "train/checkpoint/training_state.h"

#include <doctest/doctest.h>

#include <functional>
#include <regex>

#include "base/check.h"
#include "tests/support/changed_checkpoint.h"
#include "tests/support/metrics_text.h"
#include "tests/train/trainer_fixture.h"
#include "train/checkpoint/bounded_archive.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// The bytes of every member of TrainingState, in the order of `serialize`.
struct Members {
  std::vector<std::string> bytes;

  explicit Members(TrainingState state) { state.serialize(*this); }

  template <class... Member>
  void operator()(const Member&... members) {
    (bytes.push_back(to_bytes(members)), ...);
  }
};

/// A change of one member, and a part of its visible effect unless that is just other numbers.
struct Change {
  std::function<void(TrainingState&)> change;
  std::string seen = {};
  bool finite = true;     ///< true if the parameters are; if not, every update is refused
  std::string host = {};  ///< if set: replaces the machine's description
};

/// In the order of `serialize`. Nothing is translated exactly this early, so the first validation is the best, and the
/// plateau schedule and train.patience count the others.
const std::vector<Change> changes{
    {[](TrainingState& s) { ++s.version; }, "expected a training state of version 1; got version 2"},
    {[](TrainingState& s) { s.config.replace(s.config.find("seed: 1"), 7, "seed: 2"); }, "got one of another run"},
    {[](TrainingState& s) { s.vocabulary_hash ^= 1; }, "expected a checkpoint of the run"},
    {[](TrainingState& s) { s.data_hash ^= 1; }, "got one of another run"},
    {[](TrainingState& s) { s.build = "another compiler"; }, "written by another build (another compiler)"},
    {[](TrainingState& s) { ++s.update; }},
    {[](TrainingState& s) { --s.optimizer_steps; }},
    {[](TrainingState& s) { ++s.epoch; }},
    {[](TrainingState& s) { ++s.batch; }},
    {[](TrainingState& s) { ++s.target_tokens; }},
    {[](TrainingState& s) { ++s.bad_updates; }},
    {[](TrainingState& s) { ++s.consecutive_bad; }, "[update 8] expected finite losses", false},  // one more is allowed
    {[](TrainingState& s) { ++s.log_loss; }},
    {[](TrainingState& s) { ++s.log_tokens; }},
    {[](TrainingState& s) { s.has_best = false; }, "end: max_updates"},
    {[](TrainingState& s) { s.best = -1; }, "end: max_updates"},
    {[](TrainingState& s) { s.best_update = s.update; }, "best: update-00000007.ckpt"},
    {[](TrainingState& s) { ++s.stalled; }},
    {[](TrainingState& s) { s.plateau.seen = false; }},
    {[](TrainingState& s) { s.plateau.best = -1; }},
    {[](TrainingState& s) { ++s.plateau.bad; }},
    {[](TrainingState& s) { ++s.plateau.reductions; }},
    {[](TrainingState& s) { s.seconds = 1e9; }, "end: max_minutes"},
};

/// A run of 7 updates, in the middle of an epoch, between two log lines and two validations; and its continuation.
class StoppedRun {
 public:
  StoppedRun() {
    Config& config = fixture_.config;
    config.optim.schedule.kind = ScheduleOptions::Kind::plateau;
    config.optim.schedule.plateau_patience = 1;
    config.train.validate_every = updates(2);
    config.train.log_every = updates(4);
    config.train.patience = 4;
    config.train.max_bad_updates = 2;
    config.train.max_minutes = 1e6;
    config.train.max_updates = updates(7);
    trained(config, "stopped");
    config.train.max_updates = updates(13);
  }

  TrainingState state() const { return read_training_state(CheckpointReader(fixture_.last("stopped"))); }

  /// Everything visible of the uninterrupted run, except times.
  std::string undisturbed() const { return trained(fixture_.config, "whole"); }

  /// Everything visible of the run resumed from the changed state, and its notes.
  std::string resumed(const Change& change) const {
    const fs::path run = fixture_ / "run";
    fs::remove_all(run);
    fs::copy(fixture_ / "stopped", run, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    Config config = fixture_.config;
    if (!change.finite) {
      change_state([](TrainingState& state) { state.bad_updates = 1; });  // so that the last may have been refused
      change_checkpoint(fixture_.last("run"), [](const CheckpointEntry& entry, std::vector<std::byte>& bytes) {
        if (entry.kind == EntryKind::parameter) std::ranges::fill(bytes, std::byte{0xFF});  // NaN
      });
      config.train.validate_every = updates(100);
    }
    change_state(change.change);
    if (!change.host.empty())
      change_checkpoint(fixture_.last("run"), [&](const CheckpointEntry& entry, std::vector<std::byte>& bytes) {
        const auto host = std::as_bytes(std::span(change.host));
        if (entry.name == "host") bytes.assign(host.begin(), host.end());
      });
    try {
      const std::string outcome = trained(config, "run", true);
      return outcome + notes();
    } catch (const Error& error) {
      return error.what();
    }
  }

 private:
  std::string trained(const Config& config, const std::string& run, bool resume = false) const {
    const std::string end = name_of(fixture_.train(config, run, resume));
    const CheckpointReader saved(fixture_.last(run));
    return fmt::format("end: {}\nparameters: {}\nstate: {}\nbest: {}\n{}", end, parameters_sha256(saved),
                       state_sha256(saved), fs::read_symlink(fixture_ / run / "checkpoints/best").string(),
                       figures_in(read_bytes(fixture_ / run / "metrics.jsonl")));
  }

  std::string notes() const {
    static const std::regex note("\\] (note|warning): [^\n]*\n");
    const std::string log = read_bytes(fixture_ / "run/train.log");
    std::string notes;
    for (auto at = std::sregex_iterator(log.begin(), log.end(), note); at != std::sregex_iterator(); ++at)
      notes += at->str();
    return notes;
  }

  void change_state(const std::function<void(TrainingState&)>& change) const {
    change_checkpoint(fixture_.last("run"), [&](const CheckpointEntry& entry, std::vector<std::byte>& bytes) {
      if (entry.name != "state") return;
      auto state = from_bytes<TrainingState>({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "state");
      change(state);
      const std::string changed = to_bytes(state);
      const auto view = std::as_bytes(std::span(changed));
      bytes.assign(view.begin(), view.end());
    });
  }

  static std::string name_of(TrainingEnd end) {
    switch (end) {
      case TrainingEnd::max_updates:
        return "max_updates";
      case TrainingEnd::max_minutes:
        return "max_minutes";
      case TrainingEnd::early_stopping:
        return "early_stopping";
      default:
        return "another way";
    }
  }

  TrainerFixture fixture_;
};

}  // namespace

TEST_CASE("every member of the training state matters to the resumed run") {
  const StoppedRun run;
  const TrainingState saved = run.state();
  const std::vector<std::string> members = Members(saved).bytes;
  REQUIRE_MESSAGE(members.size() == changes.size(), "a new member of TrainingState needs a row in `changes`");
  const Change nothing{[](TrainingState&) {}}, not_finite{nothing.change, "", false};
  const std::string unchanged = run.resumed(nothing), refused = run.resumed(not_finite);
  CHECK_MESSAGE(unchanged.starts_with("end: early_stopping\n"), unchanged);
  CHECK_NE(unchanged.find("{\"update\":10,"), std::string::npos);  // four validations after the best
  CHECK_EQ(unchanged.find("{\"update\":12,"), std::string::npos);
  CHECK_MESSAGE(unchanged.starts_with(run.undisturbed()), unchanged);
  CHECK_MESSAGE(refused.find("[update 9] expected finite losses") != std::string::npos, refused);
  CHECK_GT(saved.batch, 0);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    CAPTURE(i);
    TrainingState state = saved;
    changes[i].change(state);
    const std::vector<std::string> changed = Members(state).bytes;
    for (std::size_t j = 0; j < members.size(); ++j) CHECK_EQ(changed[j] != members[j], i == j);
    const std::string seen = run.resumed(changes[i]);
    CHECK_NE(seen, changes[i].finite ? unchanged : refused);
    CHECK_MESSAGE(seen.find(changes[i].seen) != std::string::npos, seen);
  }
}

TEST_CASE("a checkpoint of another machine resumes with a warning") {
  const std::string seen = StoppedRun().resumed({.change = [](TrainingState&) {}, .host = "another processor"});
  CHECK_MESSAGE(seen.starts_with("end: early_stopping\n"), seen);
  CHECK_MESSAGE(seen.find("other libraries (another processor): training continues") != std::string::npos, seen);
}

TEST_CASE("a position beyond the batches of the epoch is refused") {
  const StoppedRun run;
  for (const std::int64_t batch : {100, 1'000'000'000}) {
    const std::string seen = run.resumed({[&](TrainingState& s) { s.batch = batch; }});
    CHECK_MESSAGE(seen.find(fmt::format("; got {}. Hint: ", batch)) != std::string::npos, seen);
  }
}
