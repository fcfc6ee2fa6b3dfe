#include "train/validation_history.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "tests/support/temporary_folder.h"

using namespace glossa;

namespace {

using Strings = std::vector<std::string>;
using History = std::vector<ValidationFigures>;

History losses(const std::vector<double>& values) {
  History history;
  for (const double loss : values)
    history.push_back({{"update", 100.0 * static_cast<double>(history.size() + 1)}, {"valid_loss", loss}});
  return history;
}

std::string doubt(const std::vector<double>& values, const std::vector<std::int64_t>& updates) {
  return doubt_of_mean(losses(values), updates);
}

}  // namespace

TEST_CASE("the history of a run has the lines of validations") {
  const glossa::testing::TemporaryFolder folder;
  CHECK(validation_history(folder.path()).empty());
  folder.write("metrics.jsonl",
               "{\"update\":1,\"train_loss\":5}\n{\"update\":2,\"valid_loss\":4,\"valid_bleu\":1.5}\n{\"upd");
  CHECK(validation_history(folder.path()) == History{{{"update", 2}, {"valid_loss", 4}, {"valid_bleu", 1.5}}});
  for (const char* number : {"1e300", "-1e300", "2.5", "null"}) {  // no update
    folder.write("metrics.jsonl",
                 fmt::format("{{\"update\":2,\"valid_loss\":4}}\n{{\"update\":{},\"valid_loss\":3}}\n", number));
    CHECK_EQ(last_validation(folder.path()), 2);
  }
}

TEST_CASE("figures that are best in the last validation are named") {
  CHECK(best_at_last(losses({})).empty());
  CHECK(best_at_last(losses({3})).empty());
  CHECK(best_at_last(losses({3, 2, 1})) == Strings{"loss"});
  CHECK(best_at_last(losses({3, 1, 2})).empty());
  CHECK(best_at_last(losses({3, 2, 2})).empty());
  CHECK(best_at_last(History{{{"valid_loss", 1}, {"valid_bleu", 7}, {"valid_chrf", 9}},
                             {{"valid_loss", 2}, {"valid_bleu", 8}, {"valid_chrf", 9}, {"valid_exact_match", 1}}}) ==
        Strings{"BLEU", "exact match"});
}

TEST_CASE("a mean of checkpoints across which the loss fell steeply gives a doubt") {
  CHECK_EQ(doubt({2.7, 0.8, 0.4}, {300, 200, 100}),
           "the validation loss fell from 2.700 to 0.400 across the averaged checkpoints, so their mean may be worse "
           "than the newest. Hint: compare both with glossa evaluate, or average fewer");
  CHECK_FALSE(doubt({1, 0.9}, {200, 100}).empty());
  CHECK(doubt({2.7, 0.41, 0.405, 0.4}, {400, 300, 200}).empty());
  CHECK(doubt({1, 2}, {200, 100}).empty());
  CHECK(doubt({2, 1}, {200}).empty());
  CHECK(doubt({2, 1}, {200, 50}).empty());  // before the first validation
}

TEST_CASE("checkpoints between validations have the loss of the last validation before them") {
  CHECK_FALSE(doubt({2, 1}, {200, 150}).empty());
  CHECK_FALSE(doubt({3, 2, 1}, {390, 250, 170}).empty());
  CHECK(doubt({2, 1, 0.99}, {390, 250}).empty());
  CHECK(doubt({2, 1}, {190, 150}).empty());  // both have that of update 100
  History again = losses({3, 2, 1});         // a resumed run validates an update again
  again.push_back({{"update", 200.0}, {"valid_loss", 1.0}});
  CHECK(doubt_of_mean(again, std::vector<std::int64_t>{300, 250}).empty());
}
