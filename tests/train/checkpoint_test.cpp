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
