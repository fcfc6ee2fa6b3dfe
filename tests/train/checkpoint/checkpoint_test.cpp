#include "train/checkpoint/checkpoint.h"

#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <limits>

#include "base/check.h"
#include "base/version.h"
#include "tests/support/temporary_folder.h"
#include "train/checkpoint/bounded_archive.h"
#include "train/model/model_factory.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// The result of reading the training state of a checkpoint whose record is `bytes`.
std::string error_for(const std::string& bytes) {
  const TemporaryFolder folder;
  CheckpointWriter writer;
  writer.add_owned("state", EntryKind::state, bytes);
  writer.write(folder / "a.ckpt");
  const CheckpointReader reader(folder / "a.ckpt");
  return error_of<Error>([&] { read_training_state(reader); });
}

/// A checkpoint of one parameter and its moment.
struct Contents {
  std::string name = "weight";
  Dtype dtype = Dtype::f32;
  std::vector<std::uint64_t> dims{2, 3};
  std::vector<float> values{1, 2, 3, 4, 5, 6}, moments{6, 5, 4, 3, 2, 1}, averages{};  // if empty, none are written
  TrainingState state;

  Contents() { state.target_tokens = 7; }

  CheckpointReader written(const TemporaryFolder& folder) const {
    CheckpointWriter writer;
    writer.add(name, EntryKind::parameter, dtype, dims, std::as_bytes(std::span(values)));
    writer.add("m:" + name, EntryKind::moment, dtype, dims, std::as_bytes(std::span(moments)));
    if (!averages.empty())
      writer.add("ema:" + name, EntryKind::buffer, dtype, dims, std::as_bytes(std::span(averages)));
    writer.add_owned("state", EntryKind::state, to_bytes(state));
    writer.write(folder / "a.ckpt");
    return CheckpointReader(folder / "a.ckpt");
  }
};

}  // namespace

TEST_CASE("the mean of checkpoints is that of their elements, in double; of one checkpoint itself") {
  const TemporaryFolder folder, second, third;
  ParameterStore<float> store;
  store.declare("weight", {2, 3}, [](std::span<double>, const Shape&, RandomStream&) {});
  store.allocate(1);
  Contents contents;
  std::vector<CheckpointReader> readers;
  readers.push_back(contents.written(folder));
  read_mean_parameters(readers, store);
  CHECK(std::ranges::equal(store.at("weight").value.span(), contents.values));
  contents.values = {3, 2, 1, 1e8f, 1, 0};
  readers.push_back(contents.written(second));
  contents.values = {2, 2, 5, 1, 3, 0.5f};
  readers.push_back(contents.written(third));
  read_mean_parameters(readers, store);
  const float wanted[] = {2, 2, 3, static_cast<float>((4 + 1e8 + 1) / 3), 3, static_cast<float>(6.5 / 3)};
  CHECK(std::ranges::equal(store.at("weight").value.span(), wanted));
  contents.dims = {3, 2};
  const TemporaryFolder other;
  readers.push_back(contents.written(other));
  CHECK_THROWS_AS(read_mean_parameters(readers, store), Error);
}

TEST_CASE(
    "statistics of the training text are entries of their own: absent if unknown, and not part of the state's hash") {
  const TemporaryFolder folder;
  ParameterStore<float> store;
  store.declare("weight", {2, 3}, [](std::span<double>, const Shape&, RandomStream&) {});
  store.allocate(1);
  const auto optimizer = make_optimizer(OptimConfig(), store);
  const auto written = [&](std::int64_t words, std::int64_t several) {
    TrainingState state;
    state.text = {.usual_words = words, .several_percent = several};
    CheckpointWriter writer;
    add_to_checkpoint(writer, store, *optimizer, nullptr, state, "host");
    writer.write(folder / fmt::format("{}.ckpt", words));
    return CheckpointReader(folder / fmt::format("{}.ckpt", words));
  };
  const CheckpointReader unknown = written(0, -1), known = written(23, 0);
  CHECK(unknown.find("usual_words") == nullptr);
  CHECK(unknown.find("several_percent") == nullptr);
  CHECK(read_training_state(unknown).text.usual_words == 0);
  CHECK(read_training_state(unknown).text.several_percent == -1);
  CHECK(read_training_state(known).text.usual_words == 23);
  CHECK(read_training_state(known).text.several_percent == 0);
  CHECK(state_sha256(unknown) == state_sha256(known));
}

TEST_CASE("translation uses a checkpoint's averages if it has any; training resumes from the other weights") {
  const TemporaryFolder folder, second;
  ParameterStore<float> store;
  store.declare("weight", {2, 3}, [](std::span<double>, const Shape&, RandomStream&) {});
  store.allocate(1);
  const std::span<float> weight = store.at("weight").value.span();
  MovingAverage<float> average(store, 0.5);
  Contents contents;
  contents.averages = {-1, -2, -3, -4, -5, -6};
  std::vector<CheckpointReader> readers;
  readers.push_back(contents.written(folder));
  CHECK_EQ(entry_in_use(readers[0], "weight"), "ema:weight");
  read_mean_parameters(readers, store);
  CHECK(std::ranges::equal(weight, contents.averages));
  CHECK(store.at("weight").version() == 1);
  read_parameters(readers[0], store);
  CHECK(std::ranges::equal(weight, contents.values));
  CHECK(store.at("weight").version() == 2);
  read_average(readers[0], store, average);
  CHECK(std::ranges::equal(average.average().first(6), contents.averages));

  contents.averages.clear();
  readers.push_back(contents.written(second));
  CHECK_EQ(entry_in_use(readers[1], "weight"), "weight");
  CHECK_THROWS_WITH_AS(read_average(readers[1], store, average),
                       doctest::Contains("expected a tensor ema:weight [2, 3]; not found"), Error);
  read_mean_parameters(readers, store);  // each contributes the weights it translates with
  CHECK(std::ranges::count(weight, 0.0f) == 6);
}

TEST_CASE("averages of only some parameters are refused, and nothing is changed") {
  const TemporaryFolder folder;
  ParameterStore<float> store;
  const Initializer zeros = [](std::span<double> values, const Shape&, RandomStream&) { std::ranges::fill(values, 0); };
  store.declare("weight", {2, 3}, zeros);
  store.declare("another", {2, 3}, zeros);
  store.allocate(1);
  Contents contents;
  CheckpointWriter writer;
  for (const char* name : {"weight", "another"})
    writer.add(name, EntryKind::parameter, Dtype::f32, {2, 3}, std::as_bytes(std::span(contents.values)));
  writer.add("ema:another", EntryKind::buffer, Dtype::f32, {2, 3}, std::as_bytes(std::span(contents.values)));
  writer.write(folder / "a.ckpt");
  const CheckpointReader reader(folder / "a.ckpt");
  CHECK_THROWS_WITH_AS(read_mean_parameters({&reader, 1}, store),
                       doctest::Contains("expected a tensor ema:weight [2, 3]; not found"), Error);
  for (const float value : store.values()) CHECK_EQ(value, 0);
}

TEST_CASE("the hash of parameters covers names, shapes and values; that of the state also moments and counters") {
  const TemporaryFolder folder;
  const Contents reference;
  struct Case {
    std::function<void(Contents&)> change;
    bool other_parameters, other_state;
  };
  const std::vector<Case> cases{
      {[](Contents&) {}, false, false},
      {[](Contents& c) { c.name = "bias"; }, true, true},
      {[](Contents& c) {
         c.dims = {3, 2};
       },
       true, true},
      {[](Contents& c) { c.dims = {3}, c.dtype = Dtype::f64; }, true, true},
      {[](Contents& c) { c.values[5] = -6; }, true, true},
      {[](Contents& c) { c.moments[5] = -1; }, false, true},
      {[](Contents& c) { c.averages = c.values; }, false, true},
      {[](Contents& c) { c.state.update = 1; }, false, true},
      {[](Contents& c) { c.state.data_hash = 1; }, false, true},
      // Allowed differences between equivalent runs.
      {[](Contents& c) { c.state.config = "runtime:\n  threads: 2\n"; }, false, false},
      {[](Contents& c) { c.state.seconds = 1; }, false, false},
      {[](Contents& c) { c.state.log_loss = 1; }, false, false},
      {[](Contents& c) { c.state.log_tokens = 7; }, false, false},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(i);
    Contents changed = reference;
    cases[i].change(changed);
    const std::string parameters = parameters_sha256(reference.written(folder)),
                      state = state_sha256(reference.written(folder));
    const CheckpointReader other = changed.written(folder);
    CHECK_EQ(parameters_sha256(other) != parameters, cases[i].other_parameters);
    CHECK_EQ(state_sha256(other) != state, cases[i].other_state);
  }
}

TEST_CASE("parameters are read only if all match the model; otherwise the difference is named and nothing changes") {
  const TemporaryFolder folder;
  ParameterStore<float> store;
  const Initializer zeros = [](std::span<double> values, const Shape&, RandomStream&) { std::ranges::fill(values, 0); };
  const Parameter<float>& weight = store.declare("weight", {2, 3}, zeros);
  store.allocate(1);
  const auto error_of_reading = [&](const Contents& contents) {
    const CheckpointReader reader = contents.written(folder);
    return error_of<Error>([&] { read_parameters(reader, store); });
  };
  const std::pair<std::function<void(Contents&)>, std::string> cases[] = {
      {[](Contents& c) { c.name = "bias"; }, "expected a tensor weight [2, 3]; not found"},
      {[](Contents& c) {
         c.dims = {3, 2};
       },
       "expected weight to be f32 [2, 3]; got f32 [3, 2]"},
      {[](Contents& c) { c.dims = {6}; }, "expected weight to be f32 [2, 3]; got f32 [6]"},
  };
  for (const auto& [change, expected] : cases) {
    Contents contents;
    change(contents);
    const std::string error = error_of_reading(contents);
    CHECK_MESSAGE(error.find(expected) != std::string::npos, error);
  }
  Contents doubles;
  doubles.dtype = Dtype::f64;
  doubles.values.resize(12);
  doubles.moments.resize(12);
  CHECK_NE(error_of_reading(doubles).find("expected weight to be f32 [2, 3]; got f64 [2, 3]"), std::string::npos);
  CheckpointWriter writer;
  const Contents contents;
  writer.add("weight", EntryKind::parameter, Dtype::f32, {2, 3}, std::as_bytes(std::span(contents.values)));
  writer.add("another", EntryKind::parameter, Dtype::f32, {2, 3}, std::as_bytes(std::span(contents.values)));
  writer.write(folder / "b.ckpt");
  CHECK_NE(error_of<Error>([&] {
             read_parameters(CheckpointReader(folder / "b.ckpt"), store);
           }).find("expected only parameters of this model; got another"),
           std::string::npos);
  for (const float value : weight.value.span()) CHECK_EQ(value, 0);
  CHECK_EQ(error_of_reading(contents), "");
  CHECK(std::ranges::equal(weight.value.span(), contents.values));
}

TEST_CASE("a training state with impossible numbers is refused, and one at the limits is read") {
  constexpr std::int64_t max_int64 = std::numeric_limits<std::int64_t>::max(), largest = 1'000'000'000'000'000;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  struct Case {
    std::function<void(TrainingState&)> change;
    std::string refused;  // empty: it is read
  };
  const std::vector<Case> cases{
      {[](auto&) {}, ""},
      {[](auto& s) { s.update = largest; }, ""},
      {[](auto& s) { s.update = largest + 1; }, "update from 0 to 1000000000000000; got 1000000000000001"},
      {[](auto& s) { s.update = max_int64; }, "got 9223372036854775807"},
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
      {[](auto& s) { s.batch = largest; }, ""},  // the trainer checks the number per epoch
      {[](auto& s) { s.batch = max_int64; }, "batch from 0 to 1000000000000000; got 9223372036854775807"},
      {[](auto& s) { s.batch = -1; }, "batch from 0 to 1000000000000000; got -1"},
      {[](auto& s) { s.target_tokens = largest; }, ""},
      {[](auto& s) { s.target_tokens = max_int64; },
       "target_tokens from 0 to 1000000000000000; got 9223372036854775807"},
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
      {[](auto& s) { s.plateau.best = infinity; }, ""},  // an infinite loss before
      {[](auto& s) { s.plateau.best = nan; }, "a number as plateau.best; got nan"},
      {[](auto& s) { s.plateau.bad = 101; }, "plateau.bad from 0 to 100; got 101"},
      {[](auto& s) { s.plateau.bad = -1; }, "plateau.bad from 0 to 100; got -1"},
      {[](auto& s) { s.plateau.reductions = 101; }, "plateau.reductions from 0 to 100; got 101"},
      {[](auto& s) { s.plateau.reductions = -1; }, "plateau.reductions from 0 to 100; got -1"},
      {[](auto& s) { s.seconds = 1e12; }, ""},
      {[](auto& s) { s.seconds = -1; }, "at least 0 seconds; got -1"},
      {[](auto& s) { s.seconds = nan; }, "at least 0 seconds; got nan"},
      {[](auto& s) { s.seconds = infinity; }, "at least 0 seconds; got inf"},
  };
  for (const auto& row : cases) {
    CAPTURE(row.refused);
    TrainingState state;
    state.update = 100;
    row.change(state);
    const std::string error = error_for(to_bytes(state));
    CHECK_MESSAGE((row.refused.empty() ? error.empty() : error.find(row.refused) != std::string::npos), error);
    if (!row.refused.empty()) CHECK_NE(error.find("a.ckpt] expected a training state with "), std::string::npos);
  }
}

TEST_CASE("a checkpoint names the program and the machine that wrote it, if these were recorded") {
  const TemporaryFolder folder;
  CHECK_FALSE(text_in_checkpoint(Contents().written(folder), version_entry).has_value());
  CHECK_FALSE(text_in_checkpoint(Contents().written(folder), host_entry).has_value());
  ParameterStore<float> store;
  store.allocate(1);
  const auto optimizer = make_optimizer(OptimConfig{}, store);
  CheckpointWriter writer;
  add_to_checkpoint(writer, store, *optimizer, nullptr, {}, "here");
  writer.write(folder / "b.ckpt");
  CHECK_EQ(text_in_checkpoint(CheckpointReader(folder / "b.ckpt"), version_entry), std::string(program_version));
  CHECK_EQ(text_in_checkpoint(CheckpointReader(folder / "b.ckpt"), host_entry), "here");
}

TEST_CASE("the version of the training state is read first, whatever follows it") {
  std::string bytes = to_bytes(TrainingState{});
  CHECK(error_for(bytes) == "");
  const std::uint32_t next = TrainingState::current_version + 1;
  std::memcpy(bytes.data(), &next, sizeof next);
  const std::string refused = fmt::format(
      "expected a training state of version {}; got version {}. Hint: use the version of glossa that wrote it",
      next - 1, next);
  CHECK(error_for(bytes).find(refused) != std::string::npos);
  CHECK(error_for(bytes.substr(0, 9)).find(refused) != std::string::npos);
  CHECK(error_for(bytes + "new fields").find(refused) != std::string::npos);
  CHECK(error_for("123").find("got 3 bytes") != std::string::npos);
}
