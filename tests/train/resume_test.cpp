#include "tests/support/shell.h"
#include "tests/train/trainer_fixture.h"
#include "train/run.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// A run of 4 updates with options that its command might leave out.
struct Begun {
  Begun() {
    fixture.config.train.max_updates = updates(4);
    fixture.config.train.max_minutes = 5;
    fixture.config.train.save_every = updates(2);
    fixture.train(fixture.config, "run");
  }
  std::string run() const { return fixture / "run"; }
  std::string log() const { return read_bytes(fixture / "run/train.log"); }
  Config resumed(const std::string& yaml, const Settings& settings) const {
    const Quiet quiet;
    write_bytes(fixture / "given.yaml", yaml);
    return load_training_config(yaml.empty() ? "" : (fixture / "given.yaml").string(), settings, run(), true);
  }
  TrainerFixture fixture;
};

}  // namespace

TEST_CASE("a resumed run has its own options where the command gives none") {
  const Begun begun;
  const std::string more = "train.max_updates=6u";
  const Config own = begun.resumed("", {});
  CHECK_EQ(own.data.train.text(), begun.fixture.config.data.train.text());
  CHECK_EQ(own.train.max_minutes, 5);
  for (const char* yaml : {"", "data: {tokenizer: words}\n", "train: {max_updates: 9}\n"}) {
    const Config config = begun.resumed(yaml, {more});
    const std::vector<OptionDifference> changed = differences(own, config);
    REQUIRE_EQ(changed.size(), 1);
    CHECK_EQ(changed.front().key + "=" + changed.front().after, more);
  }
  const std::map<std::string, GivenValue> of_program{{"train.max_updates", 6}};
  CHECK_EQ(dump(begun.resumed("", of_program)), dump(begun.resumed("", {more})));
  CHECK_EQ(begun.resumed("optim: {lr: 1}\n", {}).optim.schedule.lr, 1);  // refused by the trainer
  begun.fixture.train(begun.resumed("", {more}), "run", true);
  CHECK_NE(begun.log().find("note: train.max_updates is now 6u; it was 4u\n"), std::string::npos);
}

TEST_CASE("a resumed run takes from its config.yaml only options that may change") {
  const Begun begun;
  Config edited = begun.fixture.config;
  edited.train.max_updates = updates(8);
  edited.decode.beam = 2;
  edited.train.label_smoothing = 0.3;
  write_bytes(config_file(begun.run()), dump(edited));
  const Config config = begun.resumed("", {});
  CHECK_EQ(to_string(config.train.max_updates), "8u");
  CHECK_EQ(config.decode.beam, 1);
  CHECK_EQ(config.train.label_smoothing, 0.1);
  std::filesystem::remove(config_file(begun.run()));
  CHECK_EQ(to_string(begun.resumed("", {}).train.max_updates), "4u");
  write_bytes(config_file(begun.run()), dump(edited));
  begun.fixture.train(config, "run", true);
  const Config after = load_config(config_file(begun.run()));
  CHECK_EQ(after.decode.beam, 2);  // for translation
  CHECK_EQ(to_string(after.train.max_updates), "8u");
  CHECK_EQ(after.train.label_smoothing, 0.1);
}

TEST_CASE("options of decode that the command sets replace those in a resumed run's config.yaml") {
  const Begun begun;
  Config edited = begun.fixture.config;
  edited.decode.beam = 2;
  edited.decode.alpha = 1.4;
  write_bytes(config_file(begun.run()), dump(edited));
  const auto resume = [&](const Settings& settings) {
    const Quiet quiet;
    Trainer trainer(
        prepare({.config = begun.resumed("", settings), .run = begun.run(), .resume = true, .settings = settings}));
    trainer.train();
    return load_config(config_file(begun.run())).decode;
  };
  const DecodeOptions after = resume({"decode.beam=1", "train.max_updates=6u"});
  CHECK_EQ(after.beam, 1);  // that of the beginning
  CHECK_EQ(after.alpha, 1.4);
  CHECK_NE(begun.log().find("note: decode.beam is now 1 for translation; it was 2\n"), std::string::npos);
  CHECK_THROWS_WITH_AS(resume({"decode.beam=2"}), doctest::Contains("[decode.beam] expected 1, as when the run"),
                       Error);
  CHECK_EQ(resume({"train.max_updates=7u"}).beam, 1);
  edited.decode.beam = 1;
  edited.decode.sample = true;
  edited.decode.top_k = 2;
  write_bytes(config_file(begun.run()), dump(edited));
  CHECK_THROWS_WITH_AS(resume({"decode.sample=false"}), doctest::Contains("[decode.top_k] expected 0"), Error);
  CHECK_EQ(load_config(config_file(begun.run())).decode.sample, true);
}

TEST_CASE("the command that continues a run can be pasted") {
  TrainerFixture fixture;
  fixture.config.train.metric = TrainConfig::Metric::loss;
  fixture.config.train.decode_validation = false;
  fixture.config.train.validate_every = updates(2);
  fixture.config.train.max_updates = updates(2);
  const std::string name = "it's a $run";
  fixture.train(fixture.config, name);
  const std::string log = read_bytes(fixture / name / "train.log"), start = "continue with ";
  const std::size_t at = log.find(start);
  REQUIRE_NE(at, log.npos);
  const std::string command = log.substr(at + start.size(), log.find('\n', at) - at - start.size());
  CHECK_EQ(words_of_shell(command),
           std::vector<std::string>{"glossa", "train", "--resume", fixture / name, "--set", "train.max_updates=3u"});
}
