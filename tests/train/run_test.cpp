// The folder of a run: paths that the user may name, and suggestions for wrong ones.
#include "train/run.h"

#include "base/check.h"
#include "tests/train/trainer_fixture.h"

using namespace glossa;
using namespace glossa::testing;

TEST_CASE("a folder of runs is refused with the names of its runs") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "runs/empty");
  const std::string runs = (folder / "runs").string();
  CHECK_THROWS_WITH_AS(load_run_config(runs), doctest::Contains("Hint: name what train had as --run"), Error);
  for (const char* run : {"b", "a", "c", "d", "e", "f"}) {
    std::filesystem::create_directories(folder.path() / "runs" / run);
    folder.write(std::string("runs/") + run + "/config.yaml", "");
  }
  const std::string named =
      "name a run in it: " + runs + "/a, " + runs + "/b, " + runs + "/c, " + runs + "/d, " + runs + "/e and 1 more";
  CHECK_THROWS_WITH_AS(load_run_config(runs), doctest::Contains(named.c_str()), Error);
  CHECK_THROWS_WITH_AS(check_holds_run(runs), doctest::Contains(named.c_str()), Error);
}

TEST_CASE("a folder without a run to resume is refused with the command that begins one") {
  const TemporaryFolder folder;
  const std::string run = folder / "my new run";
  CHECK_EQ(error_of<Error>([&] { check_holds_run(run); }),
           "[" + run + "] expected a run to resume; not found. Hint: check the path; glossa train CONFIG.yaml " +
               "--resume=auto --run '" + run + "' begins one");
}

TEST_CASE("an option of decoding without its section is suggested, and one that a run keeps is not") {
  const TemporaryFolder folder;
  folder.write("config.yaml", "");
  const auto error = [&](const Setting& setting) {
    return error_of<Error>([&] { load_run_config(folder.path().string(), {setting}); });
  };
  CHECK_EQ(error("beam=4"), "[--set beam=4] unknown key 'beam'; did you mean '--set decode.beam=4'?");
  CHECK_EQ(error({"beam", 4}), "[options] unknown key 'beam'; did you mean 'decode.beam'?");
  CHECK(error("width=4").starts_with("[--set width=4] expected an option of decode or runtime"));
  CHECK(error({"model.width", 4}).starts_with("[options] model.width: expected an option of decode or runtime"));
  CHECK_EQ(
      error("decode.seed=2"),
      "[--set decode.seed=2] expected decode.sample=true or decode.mbr as well; got decode.seed alone, which has no "
      "effect");
  CHECK(error({"decode.seed", 2})
            .starts_with("[options] decode.seed: expected decode.sample=true or decode.mbr as well"));
  CHECK(error({"decode.mbr_utility", "bleu"}).starts_with("[options] decode.mbr_utility: expected decode.mbr as well"));
}

TEST_CASE("a program sets a run's options of decoding by their keys") {
  const TemporaryFolder folder;
  folder.write("config.yaml", "");
  const std::map<std::string, GivenValue> options{{"decode.beam", 3}, {"decode.forbidden", "5, 7"}};
  const DecodeOptions decode = load_run_config(folder.path().string(), options).decode;
  CHECK_EQ(decode.beam, 3);
  CHECK_EQ(decode.forbidden, std::vector<std::int64_t>{5, 7});
}

TEST_CASE("a run cannot have the name of a file, or of something below a file") {
  const TemporaryFolder folder;
  folder.write("corpus.en", "a");
  for (const char* name : {"corpus.en", "corpus.en/run"})
    CHECK_THROWS_WITH_AS(NewRunFolder((folder / name).string()),
                         doctest::Contains("corpus.en] expected a folder or a new name; got a file"), Error);
}

TEST_CASE("the mean of a run's newest checkpoints becomes a run") {
  TrainerFixture fixture;
  fixture.config.train.max_updates = updates(4);
  fixture.config.train.save_every = updates(2);
  fixture.train(fixture.config, "run");
  const std::string run = fixture / "run", mean = fixture / "mean";
  const std::filesystem::path written = write_average_run(run, 2, mean);
  CHECK(std::filesystem::equivalent(written, std::filesystem::path(mean) / "checkpoints/last"));
  const auto parameters = [](const RunName& name) { return load_run(name, load_run_config(name.folder())).model; };
  const auto early = parameters(RunName(run, "2")), late = parameters(RunName(run, "4")),
             averaged = parameters(RunName(mean));
  for (std::size_t i = 0; i < averaged->parameters.values().size(); ++i)
    CHECK_EQ(averaged->parameters.values()[i],
             doctest::Approx((early->parameters.values()[i] + late->parameters.values()[i]) / 2));
  CHECK_THROWS_WITH_AS(write_average_run(run, 2, mean), doctest::Contains("got one with a run"), Error);
  CHECK_THROWS_WITH_AS(write_average_run(run, 9, fixture / "new"), doctest::Contains("got 2"), Error);
}
