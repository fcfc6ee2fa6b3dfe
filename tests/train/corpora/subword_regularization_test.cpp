#include "data/corpora/subword_regularization.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "tests/support/restore_runtime.h"
#include "tests/train/trainer_fixture.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// The toy corpus in subwords.
struct Drawn {
  explicit Drawn(SubwordModel model = SubwordModel::bpe) {
    const Quiet quiet;
    config.train = "toy:300";
    config.source = "en";
    config.target = "hi";
    config.vocab_size = 300;
    config.sentencepiece_model = model;
    config.bpe_dropout = model == SubwordModel::bpe ? 0.2 : 0;
    config.unigram_sampling = model == SubwordModel::bpe ? 0 : 0.2;
    const Corpora corpora = read_corpora(config, 1);
    tokenizers = train_tokenizers(config, corpora.training);
    plain = encode_training(config, corpora.training, tokenizers);
    all.resize(static_cast<std::size_t>(plain.size()));
    std::iota(all.begin(), all.end(), 0);
  }

  EncodedCorpus drawn(std::span<const int> sentences, std::int64_t epoch, std::uint64_t seed = 1) const {
    EncodedCorpus corpus = plain;
    DrawnPairs pairs;
    SubwordRegularization(config, tokenizers, seed).draw(plain, sentences, epoch, pairs);
    for (std::size_t k = 0; k < sentences.size(); ++k) {
      const auto i = static_cast<std::size_t>(sentences[k]);
      const auto& [source, target] = pairs.pairs()[k];
      corpus.source[i].assign(source.begin(), source.end());
      corpus.target[i].assign(target.begin(), target.end());
    }
    return corpus;
  }

  DataConfig config;
  Tokenizers tokenizers;
  EncodedCorpus plain;
  std::vector<int> all;
};

}  // namespace

TEST_CASE("drawn subwords are a function of seed, epoch and sentence") {
  for (const SubwordModel model : {SubwordModel::bpe, SubwordModel::unigram}) {
    const Drawn f(model);
    const std::uint64_t first = f.drawn(f.all, 0).fingerprint();
    CHECK_NE(first, f.plain.fingerprint());
    CHECK_NE(first, f.drawn(f.all, 1).fingerprint());
    CHECK_NE(first, f.drawn(f.all, 0, 2).fingerprint());
    const RestoreRuntime restore;
    set_threads(threads() == 1 ? 3 : 1);
    std::vector<int> reversed(f.all.rbegin(), f.all.rend());
    CHECK_EQ(first, f.drawn(reversed, 0).fingerprint());
    f.drawn(f.all, 3);
    CHECK_EQ(first, f.drawn(f.all, 0).fingerprint());  // after another epoch
    const std::vector<int> two{5, 7};
    const EncodedCorpus few = f.drawn(two, 0);
    for (int i = 0; i < f.plain.size(); ++i)
      if (i != 5 && i != 7)
        CHECK_EQ(few.source[static_cast<std::size_t>(i)], f.plain.source[static_cast<std::size_t>(i)]);
    CHECK_EQ(few.target[7], f.drawn(f.all, 0).target[7]);
  }
}

TEST_CASE("the sides of a pair, and pairs of equal text, are drawn separately") {
  Drawn f;
  f.plain.target = f.plain.source;
  f.plain.source[1] = f.plain.source[0];
  int differ = 0;
  for (int epoch = 0; epoch < 20; ++epoch) {
    const EncodedCorpus corpus = f.drawn(f.all, epoch);
    differ += corpus.source[0] != corpus.source[1];
    for (std::size_t i = 2; i < 10; ++i) differ += corpus.source[i] != corpus.target[i];
  }
  CHECK(differ > 50);
}

TEST_CASE("sentences that get too long keep the tokenizer's segmentation") {
  Drawn f;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < f.all.size(); ++i)
    longest = std::max({longest, f.plain.source[i].size(), f.plain.target[i].size() + 1});
  f.config.encoding.max_length = static_cast<int>(longest);
  f.config.bpe_dropout = 1;
  const EncodedCorpus corpus = f.drawn(f.all, 0);
  int kept = 0;
  for (std::size_t i = 0; i < f.all.size(); ++i) {
    CHECK(corpus.source[i].size() <= longest);
    CHECK(corpus.target[i].size() + 1 <= longest);
    kept += corpus.source[i] == f.plain.source[i];
  }
  CHECK(kept > 0);
  CHECK(kept < f.plain.size());
}

TEST_CASE("a source's prefix and special tokens stay") {
  Drawn f;
  f.config.encoding.source_prefix = "the dog";
  f.config.encoding.source_bos = true;
  f.config.bpe_dropout = 1;
  const Quiet quiet;
  f.plain = encode_training(f.config, read_corpora(f.config, 1).training, f.tokenizers);
  const EncodedCorpus corpus = f.drawn(f.all, 0);
  const std::vector<int> prefix = f.tokenizers.source->encode("the dog");
  for (const std::vector<int>& source : corpus.source) {
    CHECK_EQ(source.front(), corpus.specials.bos);
    CHECK_EQ(source.back(), corpus.specials.eos);
    CHECK_EQ(std::vector<int>(source.begin() + 1, source.begin() + 1 + std::ssize(prefix)), prefix);
  }
  CHECK_NE(corpus.source, f.plain.source);
}

TEST_CASE("a rule that the vocabulary does not have is refused") {
  Drawn f;
  f.config.bpe_dropout = 0;
  f.config.unigram_sampling = 0.2;
  CHECK_THROWS_WITH_AS(SubwordRegularization(f.config, f.tokenizers, 1),
                       doctest::Contains("[data.unigram_sampling] expected 0 with a vocabulary of BPE; got 0.2"),
                       Error);
  Config config;
  config.train.max_updates = updates(1);
  config.data = f.config;
  CHECK_THROWS_WITH_AS(validate(config), doctest::Contains("data.sentencepiece_model is unigram"), Error);
  config.data.unigram_sampling = 0;
  config.data.bpe_dropout = 0.1;
  validate(config);
  config.data.tokenizer = DataConfig::Tokenizer::words;
  CHECK_THROWS_WITH_AS(validate(config), doctest::Contains("[data.bpe_dropout] expected 0 unless"), Error);
  config.data.tokenizer = DataConfig::Tokenizer::pieces;
  validate(config);
  config.data.unigram_sampling = 0.1;
  CHECK_THROWS_WITH_AS(validate(config), doctest::Contains("expected 0 with data.bpe_dropout"), Error);
}

TEST_CASE("with drawn subwords and dropped words, a resumed run has the weights of one that never stopped") {
  TrainerFixture fixture;
  fixture.config.data.tokenizer = DataConfig::Tokenizer::sentencepiece;
  fixture.config.train.word_dropout = 0.1;
  fixture.config.train.r_drop = 1;
  fixture.config.train.accumulate = 2;
  Config plain = fixture.config;
  SUBCASE("BPE-dropout") {
    plain.data.vocab_size = fixture.config.data.vocab_size = 90;
    fixture.config.data.bpe_dropout = 0.2;
  }
  SUBCASE("unigram sampling") {
    plain.data.sentencepiece_model = fixture.config.data.sentencepiece_model = SubwordModel::unigram;
    plain.data.vocab_size = fixture.config.data.vocab_size = 60;
    fixture.config.data.unigram_sampling = 0.2;
  }
  fixture.check_resumed(7);
  Config other = fixture.config;
  plain.train.max_updates = other.train.max_updates = updates(7);
  other.train.word_dropout = 0;
  fixture.train(other, "without word dropout");
  fixture.train(plain, "without drawn subwords");
  CHECK_NE(fixture.weights("whole"), fixture.weights("without word dropout"));
  CHECK_NE(fixture.weights("whole"), fixture.weights("without drawn subwords"));
}
