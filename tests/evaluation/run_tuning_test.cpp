#include "evaluation/run_tuning.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "evaluation/run_evaluation.h"
#include "tests/train/trainer_fixture.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// A run that has learned a little, and its corpus.
struct TunedRun {
  TunedRun() {
    fixture.config.train.max_updates = updates(40);
    fixture.config.optim.schedule.lr = 0.02;
    fixture.train(fixture.config, "run");
  }

  LoadedRun load(const Settings& settings = {}) const {
    const RunName name(fixture / "run");
    return load_run(name, load_run_config(name.folder(), settings));
  }

  ParallelCorpus corpus() const { return read_corpora(fixture.config.data, 1).validation; }

  TrainerFixture fixture;
};

}  // namespace

TEST_CASE("tuning tries the run's own search, each alpha with the middle beam, and its neighbors with the others") {
  const TunedRun f;
  const LoadedRun run = f.load({"decode.beam=3", "decode.alpha=0.5"});
  std::int64_t last = -1, all = 0;
  const TuningOptions options{.beams = {8, 1, 3, 3}, .watch = [&](std::int64_t done, std::int64_t expected) {
                                CHECK_EQ(done, last + 1);
                                last = done;
                                all = expected;
                              }};
  const Tuning tuning = tune(run, f.corpus(), options);
  CHECK_EQ(all, last + 1);
  CHECK_EQ(std::ssize(tuning.searches), all - 1);  // without the first, which is not measured
  CHECK_EQ(tuning.searches.front().beam, 3);
  CHECK_EQ(tuning.searches.front().alpha, 0.5);
  std::set<std::pair<std::int64_t, double>> tried;
  for (std::size_t i = 1; i < tuning.searches.size(); ++i)
    tried.emplace(tuning.searches[i].beam, tuning.searches[i].alpha);
  CHECK_EQ(tried.size() + 1, tuning.searches.size());
  for (int n = 0; n <= 10; ++n) CHECK(tried.contains({3, n / 5.0}));
  CHECK_EQ(std::ranges::count_if(tried, [](const auto& search) { return search.first == 1; }), 1);
  const auto wide = std::ranges::count_if(tried, [](const auto& search) { return search.first == 8; });
  CHECK(wide >= 2);
  CHECK(wide <= 3);
}

TEST_CASE("tuning scores searches as evaluate does, and chooses the best by the metric") {
  const TunedRun f;
  const LoadedRun run = f.load();
  for (const bool by_chrf : {false, true}) {
    const Tuning tuning = tune(run, f.corpus(), {.beams = {1, 4}, .by_chrf = by_chrf});
    const auto score = [&](const TunedSearch& search) { return by_chrf ? search.chrf : search.bleu.score; };
    for (const TunedSearch& search : tuning.searches) CHECK(score(search) <= score(tuning.searches[tuning.best]));
    CHECK_EQ(tuning.searches.front().translations, tuning.searches[1].translations);  // both greedy
    const PairedScore& compared = by_chrf ? tuning.compared.chrf : tuning.compared.bleu;
    CHECK_EQ(compared.difference(),
             doctest::Approx(score(tuning.searches[tuning.best]) - score(tuning.searches.front())));
    LoadedRun again = f.load();
    again.config = with_search(again.config, tuning.searches[tuning.best]);
    const RunEvaluation found = evaluate(again, f.corpus());
    CHECK_EQ(found.translations, tuning.searches[tuning.best].translations);
    CHECK_EQ(found.bleu.score, tuning.searches[tuning.best].bleu.score);
    CHECK_EQ(found.chrf, tuning.searches[tuning.best].chrf);
  }
}

TEST_CASE("a search's options need a length penalty and no drawing") {
  Config config;
  config.decode.sample = true;
  config.decode.length_penalty = LengthPenalty::none;
  TunedSearch search;
  search.beam = 6;
  search.alpha = 1.4;
  const Config tuned = with_search(config, search);
  CHECK_EQ(tuned.decode.beam, 6);
  CHECK_EQ(tuned.decode.alpha, 1.4);
  CHECK_FALSE(tuned.decode.sample);
  CHECK(tuned.decode.length_penalty == LengthPenalty::power);
}

TEST_CASE("the mean of checkpoints that decode.average asks for translates, unless the user chooses") {
  TrainerFixture fixture;
  fixture.config.train.max_updates = updates(6);
  fixture.config.train.save_every = updates(2);
  fixture.config.train.validate_every = updates(6);
  fixture.config.decode.average = 2;
  fixture.train(fixture.config, "run");
  const auto bytes_of = [&](const std::string& choice) {
    const RunName name(fixture / "run", choice);
    const LoadedRun run = load_run(name, load_run_config(name.folder()));
    const auto values = run.model->parameters.values();
    return std::vector<float>(values.begin(), values.end());
  };
  CHECK_EQ(bytes_of(""), bytes_of("average:2"));
  CHECK_NE(bytes_of(""), bytes_of("last"));
  CHECK_NE(read_bytes(fixture / "run/train.log").find("Mean of the newest 2 checkpoints : valid loss "),
           std::string::npos);
  // Training continues with its own weights.
  Config longer = fixture.config, plain = longer;
  longer.train.max_updates = plain.train.max_updates = updates(9);
  plain.decode.average = 0;
  fixture.train(longer, "run", true);
  fixture.train(plain, "plain");
  CHECK_EQ(fixture.weights("run"), fixture.weights("plain"));
  // More than there are: all.
  longer.decode.average = 3;
  longer.train.max_updates = updates(2);
  fixture.train(longer, "short");
  CHECK_EQ(RunName(fixture / "short").files(3).size(), 1);
  longer.train.keep_checkpoints = 2;
  CHECK_THROWS_WITH_AS(validate(longer), doctest::Contains("[decode.average] expected at most train.keep_checkpoints"),
                       Error);
}
