// Warnings about training that ends within the warm-up.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "config/config.h"

using namespace glossa;

TEST_CASE("an end before the warm-up's gives a warning once the updates of an epoch are known") {
  const auto doubts = [](std::vector<std::string> sets, std::int64_t updates_per_epoch) {
    return length_doubts(load_config("", sets), updates_per_epoch);
  };
  CHECK(doubts({"train.max_updates=100"}, 1000) ==
        std::vector<std::string>{
            "train.max_updates ends training after 100 updates, within optim.warmup (4000). Hint: raise the limit, "
            "or begin anew with --set optim.warmup=auto, which depends on the size of the corpus"});
  CHECK(doubts({"train.max_epochs=20", "optim.warmup=2000"}, 12) ==
        std::vector<std::string>{
            "train.max_epochs ends training after 240 updates, within optim.warmup (2000). Hint: raise the limit, "
            "or begin anew with --set optim.warmup=auto, which depends on the size of the corpus"});
  CHECK(doubts({"train.max_epochs=20", "optim.warmup=2000"}, 100).empty());
  CHECK(doubts({"train.max_epochs=2", "optim.warmup=3e"}, 100).size() == 1);
  CHECK(doubts({"train.max_epochs=3", "optim.warmup=3e"}, 100).empty());
  CHECK(doubts({"train.max_epochs=3", "train.max_updates=250", "optim.warmup=3e"}, 100)[0].starts_with(
      "train.max_updates ends training after 250 updates, within optim.warmup (300)"));
  CHECK(doubts({"train.max_updates=1"}, 100)[0].starts_with("train.max_updates ends training after 1 update, "));
  CHECK(doubts({"train.max_minutes=1"}, 1).empty());
}

TEST_CASE("a time limit that ends within the warm-up gives a warning once the speed is known") {
  const auto doubts = [](std::vector<std::string> sets, double updates) {
    return time_doubts(load_config("", sets), 100, updates);
  };
  CHECK(doubts({"train.max_minutes=5", "optim.warmup=3e"}, 250.5) ==
        std::vector<std::string>{
            "at this speed, train.max_minutes ends training after 251 updates, within optim.warmup (300). Hint: raise "
            "the limit, or begin anew with --set optim.warmup=auto, which depends on the size of the corpus"});
  CHECK(doubts({"train.max_minutes=5", "optim.warmup=3e"}, 300).empty());
  CHECK(doubts({"optim.warmup=3e"}, 250).empty());
  CHECK(doubts({"train.max_minutes=5", "train.max_updates=100", "optim.warmup=3e"}, 250).empty());  // warned before
}
