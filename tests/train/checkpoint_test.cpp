#include "train/checkpoint.h"

#include <doctest/doctest.h>

#include <cstring>

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

TEST_CASE("a counter below 0 is refused") {
  for (std::int64_t TrainingState::*counter :
       {&TrainingState::update, &TrainingState::optimizer_steps, &TrainingState::epoch, &TrainingState::batch,
        &TrainingState::target_tokens, &TrainingState::bad_updates, &TrainingState::consecutive_bad,
        &TrainingState::log_tokens, &TrainingState::best_update, &TrainingState::stalled}) {
    TrainingState state;
    state.*counter = 1;
    CHECK(error_for(to_bytes(state)) == "");
    state.*counter = -1;
    CHECK(error_for(to_bytes(state)).find("expected counters of 0 and more; got -1") != std::string::npos);
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
