#include "train/batch_reader.h"

#include <doctest/doctest.h>

#include <atomic>

#include "base/random.h"
#include "data/tokenizers/vocabulary_tokenizer.h"
#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// Pairs that seem to be in a file; the one with index `damaged` cannot be read.
struct InFile : EncodedCorpus {
  explicit InFile(EncodedCorpus corpus) : EncodedCorpus(std::move(corpus)) {}

  bool is_in_file() const override { return true; }
  IdPair pair(int i) const override {
    check(i != damaged, "pair", "expected another pair; got the damaged one");
    ++reads;
    return EncodedCorpus::pair(i);
  }

  int damaged = -1;
  mutable std::atomic<int> reads = 0;
};

std::shared_ptr<InFile> some_pairs() {
  std::vector<std::pair<int, int>> lengths;
  for (int i = 0; i < 40; ++i) lengths.emplace_back(1 + i % 7, 1 + i % 5);
  return std::make_shared<InFile>(encoded_of(lengths));
}

Tokenizers some_tokenizers() {
  const std::vector<std::string> text{"a b c"};
  const std::shared_ptr<const Tokenizer> words = train_word_tokenizer(text, {});
  return {words, words};
}

Batch made(const PairStore& pairs, const std::vector<int>& sentences) {
  Batch batch;
  fill_batch(batch, pairs, sentences, Layout::packed);
  return batch;
}

}  // namespace

TEST_CASE("batches are those asked for, whatever was announced, and whatever became of those read before") {
  const auto pairs = some_pairs();
  BatchReader reader(pairs, {}, some_tokenizers());
  RandomStream random(1, 0);
  const auto some = [&] {
    std::vector<int> sentences(1 + random.below(5));
    for (int& sentence : sentences) sentence = static_cast<int>(random.below(8));
    return sentences;
  };
  std::vector<int> next;
  for (int i = 0; i < 3000; ++i) {
    const std::vector<int> sentences = random.below(3) > 0 && !next.empty() ? next : some();
    next = random.below(4) == 0 ? std::vector<int>() : random.below(4) == 0 ? sentences : some();
    Batch& batch = reader.read(sentences, 0, next);
    CHECK(batch == made(*pairs, sentences));
    std::ranges::fill(batch.source, -1);  // as words are dropped
  }
  std::ranges::fill(reader.read(std::vector{1}, 0, std::vector{2}).source, -1);
  reader.read(std::vector{2}, 0);
  CHECK(reader.read(std::vector{1}, 0) == made(*pairs, {1}));
}

TEST_CASE("the next batch is made meanwhile, and the time waited is that of the others") {
  const auto pairs = some_pairs();
  BatchReader reader(pairs, {}, some_tokenizers());
  const Batch expected = made(*pairs, {3, 4, 5});
  const int reads = pairs->reads;  // for this batch
  reader.read(std::vector{5, 4, 3}, 0, std::vector{3, 4, 5});
  while (pairs->reads < 3 * reads) std::this_thread::yield();
  CHECK_GT(reader.take_waited(), 0);
  CHECK_EQ(reader.take_waited(), 0);
  CHECK(reader.read(std::vector{3, 4, 5}, 0) == expected);
  CHECK_EQ(pairs->reads, 3 * reads);
}

TEST_CASE("damage is reported by the call that asks for the batch") {
  const auto pairs = some_pairs();
  pairs->damaged = 7;
  BatchReader reader(pairs, {}, some_tokenizers());
  const auto error = [&](std::vector<int> sentences, std::vector<int> next) {
    return error_of<Error>([&] { reader.read(sentences, 0, next); });
  };
  for (int i = 0; i < 20; ++i) {
    CHECK_EQ(error({1, 2}, {6, 7}), "");
    CHECK(contains(error({6, 7}, {3}), "the damaged one"));
    CHECK(contains(error({7}, {3}), "the damaged one"));
    CHECK_EQ(error({3}, {7}), "");
    CHECK_EQ(error({1}, {3}), "");  // so the damaged batch is not asked for
    CHECK_EQ(error({3}, {}), "");
  }
}

TEST_CASE("text in memory needs no thread and no time") {
  const auto pairs = std::make_shared<EncodedCorpus>(encoded_of({{1, 2}, {3, 4}}));
  BatchReader reader(pairs, {}, some_tokenizers());
  CHECK(reader.read(std::vector{1, 0}, 0, std::vector{0}) == made(*pairs, {1, 0}));
  CHECK_EQ(reader.take_waited(), 0);
}
