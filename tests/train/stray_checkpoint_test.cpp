#include "train/stray_checkpoint.h"

#include "tests/support/shell.h"
#include "tests/train/trainer_fixture.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/run.h"

using namespace glossa;
using namespace glossa::testing;

TEST_CASE("a checkpoint of another run is named with that run and the newest one that belongs") {
  TrainerFixture fixture;
  fixture.config.train.save_every = updates(2);
  fixture.config.train.max_updates = updates(4);
  fixture.train(fixture.config, "own");
  Config other = fixture.config;
  other.train.max_updates = updates(6);
  SUBCASE("with other options") { other.data.encoding.max_length = 100; }
  SUBCASE("with another vocabulary") { other.data.min_frequency = 2; }
  fixture.train(other, "an other");
  const std::filesystem::path stray = checkpoint(fixture, "own", 6);
  std::filesystem::copy_file(checkpoint(fixture, "an other", 6), stray);

  const std::string run = fixture / "own";
  const std::string expected =
      fmt::format("[{}] expected a checkpoint of the run {}; got one of {}. Hint: move it away ", stray.string(), run,
                  (fixture / "an other").string());
  const auto check_refused = [&](const std::string& error) {
    CHECK(error.starts_with(expected));
    CHECK(error.ends_with("; the newest checkpoint of this run is update-00000004.ckpt"));
  };
  check_refused(error_of<Error>([&] { load_run(RunName(run, "6"), load_run_config(run)); }));
  check_refused(error_of<Error>([&] { load_run(RunName(run, "average:2"), load_run_config(run)); }));
  check_refused(error_of<Error>([&] { fixture.train(fixture.config, "own", true); }));
  check_refused(error_of<Error>([&] { load_training_config("", {}, run, true); }));
  CHECK_EQ(load_run(RunName(run, "4"), load_run_config(run)).state.update, 4);

  std::filesystem::remove(stray);
  fixture.config.train.max_updates = updates(5);
  fixture.train(fixture.config, "own", true);
}

TEST_CASE("if no checkpoint belongs to a run, its files or its data have changed") {
  TrainerFixture fixture;
  fixture.config.train.save_every = updates(2);
  fixture.config.train.max_updates = updates(4);
  fixture.train(fixture.config, "own");
  Config other = fixture.config;
  other.data.min_frequency = 2;
  fixture.train(other, "other");
  fixture.config.train.max_updates = updates(5);
  const auto refusal = [&] { return error_of<Error>([&] { fixture.train(fixture.config, "own", true); }); };
  const std::filesystem::path vocabulary = fixture / "own/vocabulary.txt", text = fixture / "corpus.en";
  const std::string own_vocabulary = read_bytes(vocabulary), own_text = read_bytes(text);
  write_bytes(vocabulary, read_bytes(fixture / "other/vocabulary.txt"));
  CHECK_NE(refusal().find("expected the vocabulary of the checkpoint"), std::string::npos);
  write_bytes(vocabulary, own_vocabulary);
  write_bytes(text, "end" + own_text.substr(own_text.find('\n')));
  CHECK_NE(refusal().find("expected the training and validation data of the checkpoint"), std::string::npos);
  write_bytes(text, own_text);
  CHECK_EQ(refusal(), "");
}

TEST_CASE("an old checkpoint with the name of a newer one does not turn a run back") {
  TrainerFixture fixture;
  fixture.config.train.save_every = updates(2);
  fixture.config.train.max_updates = updates(4);
  fixture.train(fixture.config, "run");
  std::filesystem::copy_file(checkpoint(fixture, "run", 2), checkpoint(fixture, "run", 99));
  const auto found = newest_valid_checkpoint(fixture / "run");
  REQUIRE(found);
  CHECK_EQ(found->update, 4);
  REQUIRE_EQ(found->refused.size(), 1);
  CHECK_EQ(found->refused.front().parts().expected, "the checkpoint of update 99");
  CHECK_EQ(found->refused.front().parts().got.value(), "that of update 2");
}
