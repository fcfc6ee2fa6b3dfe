// Events for TensorBoard have the bytes that its own library writes (event_files.py).
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "train/tensorboard/event.h"
#include "train/tensorboard/record.h"

using namespace glossa;

TEST_CASE("events have the bytes that TensorBoard's own library gives them") {
  std::string greeting;
  for (int i = 0; i < 100; ++i) greeting += "नमस्ते ";
  const std::vector<Scalar> training{{"train/loss", 2.5}, {"train/lr", 1e-3}, {"train/zero", 0}, {"train/big", -1e30}};
  const std::vector<Scalar> validation{{"valid/loss", std::numeric_limits<double>::infinity()}};
  const std::vector<std::string> events{
      event::version({1.5, 0}),
      event::session_start({1700000000.125, 1}),
      event::text({2, 0}, "configuration", "    train:\n      seed: 1\n"),
      event::scalars({3, 50}, training),
      event::scalars({4, 300}, validation),
      event::text({5, 300}, "samples/1", "    source     " + greeting),
      event::session_stop({7, 3'000'000'000}),
  };
  const std::string golden = testing::read_bytes(GLOSSA_SOURCE_DIR "/tests/golden/event_files.tfevents");
  std::string_view rest = golden;
  for (const std::string& event : events) {
    CAPTURE(event);
    const auto record = next_record(rest);
    REQUIRE(record);
    CHECK_EQ(*record, event);
    CHECK(golden.substr(golden.size() - rest.size() - event.size() - 16).starts_with(as_record(event)));
  }
  CHECK(rest.empty());
}
