#include "train/checkpoint.h"

#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <limits>

#include "autograd/check.h"
#include "tests/support/temporary_folder.h"
#include "train/bounded_archive.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// What comes of reading the training state of a checkpoint whose record is `bytes`.
std::string error_for(const std::string& bytes) {
  const TemporaryFolder folder;
  CheckpointWriter writer;
  writer.add("state", EntryKind::state, Dtype::u8, {bytes.size()}, std::as_bytes(std::span(bytes)));
  writer.write(folder / "a.ckpt");
  const CheckpointReader reader(folder / "a.ckpt");
  return error_of<Error>([&] { read_training_state(reader); });
}

}  // namespace

TEST_CASE("a training state with numbers that cannot be is refused, and one at the edge is read") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), largest = 1'000'000'000'000'000;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  struct Case {
    std::function<void(TrainingState&)> change;
    std::string refused;  // empty: it is read
  };
  const std::vector<Case> cases{
      {[](auto&) {}, ""},
      {[](auto& s) { s.update = largest; }, ""},
      {[](auto& s) { s.update = largest + 1; }, "update from 0 to 1000000000000000; got 1000000000000001"},
      {[](auto& s) { s.update = most; }, "got 9223372036854775807"},
      {[](auto& s) { s.update = -1; }, "update from 0 to 1000000000000000; got -1"},
      {[](auto& s) { s.optimizer_steps = 100; }, ""},
      {[](auto& s) { s.optimizer_steps = 101; }, "optimizer_steps from 0 to 100; got 101"},
      {[](auto& s) { s.optimizer_steps = -1; }, "optimizer_steps from 0 to 100; got -1"},
      {[](auto& s) { s.epoch = 100; }, ""},
      {[](auto& s) { s.epoch = 101; }, "epoch from 0 to 100; got 101"},
      {[](auto& s) { s.update = largest, s.epoch = (std::int64_t{1} << 31) - 2; }, ""},
      {[](auto& s) { s.update = largest, s.epoch = std::int64_t{1} << 31; },
       "epoch from 0 to 2147483646; got 21474836"},
      {[](auto& s) { s.epoch = -1; }, "epoch from 0 to 100; got -1"},
      {[](auto& s) { s.batch = largest; }, ""},  // the trainer knows how many an epoch has
      {[](auto& s) { s.batch = most; }, "batch from 0 to 1000000000000000; got 9223372036854775807"},
      {[](auto& s) { s.batch = -1; }, "batch from 0 to 1000000000000000; got -1"},
      {[](auto& s) { s.target_tokens = largest; }, ""},
      {[](auto& s) { s.target_tokens = most; }, "target_tokens from 0 to 1000000000000000; got 9223372036854775807"},
      {[](auto& s) { s.target_tokens = -1; }, "target_tokens from 0 to 1000000000000000; got -1"},
      {[](auto& s) { s.bad_updates = 100; }, ""},
      {[](auto& s) { s.bad_updates = 101; }, "bad_updates from 0 to 100; got 101"},
      {[](auto& s) { s.bad_updates = -1; }, "bad_updates from 0 to 100; got -1"},
      {[](auto& s) { s.bad_updates = s.consecutive_bad = 3; }, ""},
      {[](auto& s) { s.bad_updates = 2, s.consecutive_bad = 3; }, "consecutive_bad from 0 to 2; got 3"},
      {[](auto& s) { s.consecutive_bad = -1; }, "consecutive_bad from 0 to 0; got -1"},
      {[](auto& s) { s.log_loss = -1e-9; }, ""},  // a rounded sum
      {[](auto& s) { s.log_loss = nan; }, "a finite log_loss; got nan"},
      {[](auto& s) { s.log_loss = infinity; }, "a finite log_loss; got inf"},
      {[](auto& s) { s.target_tokens = s.log_tokens = 7; }, ""},
      {[](auto& s) { s.target_tokens = 6, s.log_tokens = 7; }, "log_tokens from 0 to 6; got 7"},
      {[](auto& s) { s.log_tokens = -1; }, "log_tokens from 0 to 0; got -1"},
      {[](auto& s) { s.best = nan; }, "a finite best; got nan"},
      {[](auto& s) { s.best = -infinity; }, "a finite best; got -inf"},
      {[](auto& s) { s.best_update = 100; }, ""},
      {[](auto& s) { s.best_update = 101; }, "best_update from 0 to 100; got 101"},
      {[](auto& s) { s.best_update = -1; }, "best_update from 0 to 100; got -1"},
      {[](auto& s) { s.stalled = 100; }, ""},
      {[](auto& s) { s.stalled = 101; }, "stalled from 0 to 100; got 101"},
      {[](auto& s) { s.stalled = -1; }, "stalled from 0 to 100; got -1"},
      {[](auto& s) { s.plateau.best = infinity; }, ""},  // a loss that was
      {[](auto& s) { s.plateau.best = nan; }, "a number as plateau.best; got nan"},
      {[](auto& s) { s.plateau.bad = 101; }, "plateau.bad from 0 to 100; got 101"},
      {[](auto& s) { s.plateau.bad = -1; }, "plateau.bad from 0 to 100; got -1"},
      {[](auto& s) { s.plateau.reductions = 101; }, "plateau.reductions from 0 to 100; got 101"},
      {[](auto& s) { s.plateau.reductions = -1; }, "plateau.reductions from 0 to 100; got -1"},
      {[](auto& s) { s.seconds = 1e12; }, ""},
      {[](auto& s) { s.seconds = -1; }, "seconds of 0 and more; got -1"},
      {[](auto& s) { s.seconds = nan; }, "seconds of 0 and more; got nan"},
      {[](auto& s) { s.seconds = infinity; }, "seconds of 0 and more; got inf"},
  };
  for (const auto& [change, refused] : cases) {
    CAPTURE(refused);
    TrainingState state;
    state.update = 100;
    change(state);
    const std::string error = error_for(to_bytes(state));
    CHECK_MESSAGE((refused.empty() ? error.empty() : error.find(refused) != std::string::npos), error);
    if (!refused.empty()) CHECK_NE(error.find("a.ckpt] expected a training state with "), std::string::npos);
  }
}

TEST_CASE("the version of the training state is read first, whatever follows it") {
  std::string bytes = to_bytes(TrainingState{});
  CHECK(error_for(bytes) == "");
  const std::uint32_t next = TrainingState::current_version + 1;
  std::memcpy(bytes.data(), &next, sizeof next);
  const std::string refused = fmt::format(
      "expected a training state of version {}; got version {}. Hint: use the glossa that wrote it", next - 1, next);
  CHECK(error_for(bytes).find(refused) != std::string::npos);
  CHECK(error_for(bytes.substr(0, 9)).find(refused) != std::string::npos);
  CHECK(error_for(bytes + "new fields").find(refused) != std::string::npos);
  CHECK(error_for("123").find("got 3 bytes") != std::string::npos);
}
