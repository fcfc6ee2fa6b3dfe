#include "data/sampler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/random.h"
#include "tests/data/data_test.h"
#include "tests/support/restore_threads.h"

using namespace glossa;
using namespace glossa::testing;
using Lists = std::vector<std::vector<int>>;

namespace {

EncodedCorpus many(int pairs = 1000) {
  std::vector<std::pair<int, int>> lengths;
  for (std::int64_t i = 0; i < pairs; ++i)
    lengths.emplace_back(1 + i * 7919 % 20, 1 + i * 104729 % 15);  // many of equal lengths
  return encoded_of(lengths);
}

std::int64_t load(const EncodedCorpus& corpus, std::span<const int> batch, BatchRule rule) {
  std::int64_t longest = 0, rows = 0;
  for (const int i : batch) {
    longest = std::max<std::int64_t>({longest, corpus.source_length(i), corpus.target_length(i)});
    rows += corpus.source_length(i) + corpus.target_length(i);
  }
  const auto sentences = static_cast<std::int64_t>(batch.size());
  return rule == BatchRule::longest_side ? sentences * longest : rule == BatchRule::tokens ? rows : sentences;
}

}  // namespace

TEST_CASE("every epoch has every sentence exactly once, within the budget and without empty batches") {
  const EncodedCorpus corpus = many();
  for (const BatchRule rule : {BatchRule::longest_side, BatchRule::tokens, BatchRule::sentences})
    for (const std::int64_t budget : {1, 50, 400, 1'000'000}) {
      const Sampler sampler(corpus, {.max_tokens = budget, .rule = rule});
      for (const bool shuffle : {false, true}) {
        std::vector<int> seen;
        for (const std::span<const int> batch : sampler.epoch(3, shuffle)) {
          REQUIRE_FALSE(batch.empty());
          CHECK((load(corpus, batch, rule) <= budget || batch.size() == 1));
          seen.insert(seen.end(), batch.begin(), batch.end());
        }
        std::sort(seen.begin(), seen.end());
        REQUIRE(seen.size() == 1000);
        for (int i = 0; i < 1000; ++i) CHECK(seen[static_cast<std::size_t>(i)] == i);
      }
    }
}

TEST_CASE("batches are a function of seed and epoch alone") {
  const EncodedCorpus corpus = many();
  const SamplerOptions options{.max_tokens = 400, .seed = 7};
  const Sampler sampler(corpus, options);
  const Lists first = lists(sampler.epoch(1, true)), second = lists(sampler.epoch(2, true));
  CHECK(first != second);
  CHECK(lists(sampler.epoch(1, true)) == first);  // whatever was requested before
  CHECK(lists(Sampler(corpus, options).epoch(2, true)) == second);
  CHECK(lists(Sampler(corpus, {.max_tokens = 400, .seed = 8}).epoch(1, true)) != first);
  CHECK(lists(sampler.epoch(1, false)) == lists(sampler.epoch(2, false)));
}

TEST_CASE("a shuffled epoch also mixes which sentences share a batch") {
  const EncodedCorpus corpus = many();
  const Sampler sampler(corpus, {.max_tokens = 400});
  const auto sets = [](const Lists& batches) {
    std::set<std::set<int>> result;
    for (const auto& batch : batches) result.emplace(batch.begin(), batch.end());
    return result;
  };
  CHECK(sets(lists(sampler.epoch(1, true))) != sets(lists(sampler.epoch(2, true))));
}

TEST_CASE("batches are cut by sentences x longest side, padding included") {
  // Longest sides with the special token: 3, 3, 4, 4, 11.
  const EncodedCorpus corpus = encoded_of({{2, 1}, {10, 4}, {1, 2}, {3, 2}, {2, 3}});
  const Sampler sampler(corpus, {.max_tokens = 12});
  CHECK(lists(sampler.epoch(0, false)) == Lists{{0, 2, 3}, {4}, {1}});
  CHECK(sampler.oversized() == 0);
}

TEST_CASE("without shuffling, sentences come by length, then in corpus order, in the fullest batches allowed") {
  RandomStream random(1, "sampler");
  for (int round = 0; round < 300; ++round) {
    std::vector<std::pair<int, int>> lengths(1 + random.below(60));
    for (auto& [source, target] : lengths) {
      source = 1 + static_cast<int>(random.below(6));
      target = 1 + static_cast<int>(random.below(5));
    }
    const EncodedCorpus corpus = encoded_of(lengths);
    const auto rule = static_cast<BatchRule>(round % 3);
    const auto budget = static_cast<std::int64_t>(1 + random.below(40));
    std::vector<std::tuple<int, int, int>> order;
    std::vector<int> before;
    for (const std::span<const int> batch : Sampler(corpus, {.max_tokens = budget, .rule = rule}).epoch(round, false)) {
      CHECK((load(corpus, batch, rule) <= budget || batch.size() == 1));
      before.push_back(batch.front());
      CHECK((before.size() == 1 || load(corpus, before, rule) > budget));
      before.assign(batch.begin(), batch.end());
      for (const int i : batch) order.emplace_back(corpus.target_length(i), corpus.source_length(i), i);
    }
    CHECK(order.size() == lengths.size());
    CHECK(std::ranges::is_sorted(order));
  }
}

TEST_CASE("any number of threads gives the same batches, with their lengths") {
  const RestoreThreads restore;
  const EncodedCorpus corpus = many(150'000);  // threads count the lengths of 65,536 at a time
  const SamplerOptions options{.max_tokens = 300, .seed = 3};
  set_threads(1);
  const Lists expected = lists(Sampler(corpus, options).epoch(1, true));
  for (const int team : {2, 3, 7}) {
    set_threads(team);
    const Sampler sampler(corpus, options);
    CHECK(lists(sampler.epoch(1, true)) == expected);
    CHECK(std::ranges::equal(sampler.lengths(), extents_of(corpus, lists(sampler.epoch(1, false)))));
  }
}

TEST_CASE("batches are the same on every machine") {
  std::vector<std::pair<int, int>> lengths;
  for (int i = 0; i < 12; ++i) lengths.emplace_back(1 + i * 7919 % 5, 1 + i * 104729 % 4);
  // From a separate implementation of Philox, the shuffle and the cut.
  CHECK(lists(Sampler(encoded_of(lengths), {.max_tokens = 15, .seed = 7}).epoch(1, true)) ==
        Lists{{11}, {5, 9}, {2, 6}, {1, 10}, {0, 4, 8}, {3, 7}});
}

TEST_CASE("batches hold sentences of similar length") {
  const EncodedCorpus corpus = many();
  for (const std::span<const int> batch : Sampler(corpus, {.max_tokens = 400}).epoch(1, true)) {
    for (std::size_t i = 1; i < batch.size(); ++i)
      CHECK(corpus.target_length(batch[i - 1]) <= corpus.target_length(batch[i]));
  }
}

TEST_CASE("a sentence beyond the budget gets its own batch and is counted") {
  const EncodedCorpus corpus = encoded_of({{1, 1}, {50, 60}, {1, 1}, {70, 2}});
  const Sampler sampler(corpus, {.max_tokens = 10});
  CHECK(sampler.oversized() == 2);
  CHECK(lists(sampler.epoch(0, false)) == Lists{{0, 2}, {3}, {1}});
  const Sampler single(corpus, {.max_tokens = 1, .rule = BatchRule::sentences});
  CHECK(single.oversized() == 0);
}

TEST_CASE("one sentence is a corpus; no sentences or no budget is an error") {
  CHECK(lists(Sampler(encoded_of({{1, 1}}), {}).epoch(5, true)) == Lists{{0}});
  CHECK(contains(error_of<Error>([] { Sampler(EncodedCorpus{}, {}); }), "got none"));
  for (const std::int64_t bad : {0, -1}) {
    const std::string message = error_of<Error>([&] { Sampler(encoded_of({{1, 1}}), {.max_tokens = bad}); });
    CHECK(contains(message, "[SamplerOptions::max_tokens] expected 1 or more"));
  }
}

TEST_CASE("an epoch has each pair as often as the weight of its corpora, and as many batches") {
  RandomStream random(1, "weights");
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<int, int>> lengths(1 + random.below(60));
    for (auto& [source, target] : lengths) {
      source = 1 + static_cast<int>(random.below(6));
      target = 1 + static_cast<int>(random.below(5));
    }
    EncodedCorpus corpus = encoded_of(lengths), repeated = corpus;
    repeated.source.clear();
    repeated.target.clear();
    SamplerOptions options{.max_tokens = static_cast<std::int64_t>(1 + random.below(40)), .seed = 3};
    std::vector<int> all;  // pairs of `corpus`, as they are in `repeated`
    for (std::size_t group = 0, groups = 1 + random.below(4), end = 0; group < groups; ++group) {
      const std::size_t begin = end;
      end = group + 1 == groups ? lengths.size() : begin + random.below(lengths.size() - begin + 1);
      corpus.group_ends.push_back(static_cast<int>(end));
      options.weights.push_back(static_cast<std::int64_t>(1 + random.below(4)));
      for (std::int64_t use = 0; use < options.weights.back(); ++use)
        for (std::size_t pair = begin; pair < end; ++pair) {
          all.push_back(static_cast<int>(pair));
          repeated.source.push_back(corpus.source[pair]);
          repeated.target.push_back(corpus.target[pair]);
        }
    }
    const Sampler sampler(corpus, options);
    for (const int epoch : {0, 1}) {
      Lists expected = lists(Sampler(repeated, {.max_tokens = options.max_tokens, .seed = 3}).epoch(epoch, true));
      for (std::vector<int>& batch : expected)
        for (int& pair : batch) pair = all[static_cast<std::size_t>(pair)];
      CHECK(lists(sampler.epoch(epoch, true)) == expected);
    }
    for (std::size_t i = 0; i < sampler.lengths().size(); ++i) {
      Extents found;
      for (const int pair : sampler.example(i)) found.add(corpus.pair(pair));
      CHECK(found == sampler.lengths()[i]);
    }
  }
}

TEST_CASE("weights that do not fit the corpora are refused") {
  EncodedCorpus corpus = many();
  const auto error = [&](std::vector<std::int64_t> weights) {
    return error_of<Error>([&] { Sampler(corpus, {.weights = std::move(weights)}); });
  };
  CHECK(contains(error({1, 2}), "expected a weight for each of 1 corpora; got 2"));
  corpus.group_ends = {400, 1000};
  CHECK(contains(error({1}), "expected a weight for each of 2 corpora; got 1"));
  CHECK(contains(error({1, 0}), "expected 1 or more; got 0"));
  CHECK(contains(error({1, 100'000'000}), "expected fewer than 2^31 pairs in an epoch; got 6e+10"));
}
