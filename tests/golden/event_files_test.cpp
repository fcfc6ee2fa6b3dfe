// TensorBoard events compared, byte by byte, with those that TensorBoard's library writes (event_files.py).
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "train/tensorboard_event.h"

using namespace glossa;

TEST_CASE("events have the bytes that TensorBoard's own library gives them") {
  std::string greeting;
  for (int i = 0; i < 100; ++i) greeting += "नमस्ते ";
  const std::vector<event::Scalar> training{
      {"train/loss", 2.5}, {"train/lr", 1e-3}, {"train/zero", 0}, {"train/big", -1e30}};
  const std::vector<event::Scalar> validation{{"valid/loss", std::numeric_limits<double>::infinity()}};
  const std::vector<std::string> events{
      event::version({1.5, 0}),
      event::session_start({1700000000.125, 3'000'000'001}),
      event::text({2, 0}, "configuration", "    train:\n      seed: 1\n"),
      event::scalars({3, 50}, training),
      event::scalars({4, 300}, validation),
      event::text({5, 300}, "samples/1", "    source     " + greeting),
  };
  const std::string golden = testing::read_bytes(GLOSSA_SOURCE_DIR "/tests/golden/event_files.tfevents");
  std::size_t at = 0;
  for (const std::string& event : events) {
    CAPTURE(event);
    CHECK_EQ(golden.substr(at, event.size()), event);
    at += event.size();
  }
  CHECK_EQ(at, golden.size());
}
