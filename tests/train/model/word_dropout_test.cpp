#include "train/model/word_dropout.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "data/encoded_corpus.h"
#include "tests/train/trainer_fixture.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

constexpr SpecialIds specials{.unk = 0, .pad = 1, .bos = 2, .eos = 3};

/// A batch of sentences of 40 tokens, the same twice.
Batch batch_of(int sentences, Layout layout = Layout::packed) {
  EncodedCorpus corpus;
  corpus.specials = specials;
  std::vector<int> indices;
  for (int i = 0; i < sentences; ++i) {
    std::vector<int> ids;
    for (int t = 0; t < 40 - i % 7; ++t) ids.push_back(4 + (i + t) % 50);
    corpus.target.push_back(ids);
    ids.push_back(specials.eos);
    corpus.source.push_back(ids);
    indices.push_back(i);
  }
  return make_batch(corpus, indices, layout, /*passes=*/2);
}

Batch dropped(Batch batch, double p, std::uint64_t update = 1, std::uint64_t seed = 1, std::size_t before_text = 0) {
  drop_words(batch, p, specials, before_text, specials, seed, update);
  return batch;
}

}  // namespace

TEST_CASE("word dropout replaces a share of the tokens that are read, and no others") {
  const Batch before = batch_of(100), after = dropped(before, 0.3);
  CHECK_EQ(after.target_out, before.target_out);
  const auto share = [](const std::vector<int>& old, const std::vector<int>& now) {
    double words = 0, unknown = 0;
    for (std::size_t i = 0; i < old.size(); ++i) {
      words += !specials.contains(old[i]);
      unknown += now[i] == specials.unk;
      if (now[i] != specials.unk || specials.contains(old[i])) CHECK_EQ(now[i], old[i]);
    }
    return unknown / words;
  };
  const double sources = share(before.source, after.source), targets = share(before.target_in, after.target_in);
  CHECK(std::abs(sources - 0.3) < 0.02);  // 4 standard deviations
  CHECK(std::abs(targets - 0.3) < 0.02);
  CHECK_EQ(dropped(before, 0), before);
  const Batch spared = dropped(before, 0.9, 1, 1, 2);
  for (const RowSpan& span : before.source_spans)
    for (int t = 0; t < 2; ++t) {
      const auto place = static_cast<std::size_t>(span.offset + t);
      CHECK_EQ(spared.source[place], before.source[place]);
    }
  CHECK_NE(spared.source, before.source);
}

TEST_CASE("word dropout depends on seed, update, pass, side and place, and on nothing else") {
  const Batch before = batch_of(20), after = dropped(before, 0.3);
  CHECK_EQ(dropped(before, 0.3), after);
  CHECK_NE(dropped(before, 0.3, 2), after);
  CHECK_NE(dropped(before, 0.3, 1, 2), after);
  const auto half = static_cast<std::ptrdiff_t>(before.source.size() / 2);
  CHECK_NE(std::vector(after.source.begin(), after.source.begin() + half),
           std::vector(after.source.begin() + half, after.source.end()));
  std::vector<bool> sources, targets;
  for (int t = 0; t < 40; ++t) {
    sources.push_back(after.source[static_cast<std::size_t>(before.source_spans[0].offset + t)] == specials.unk);
    targets.push_back(after.target_in[static_cast<std::size_t>(before.target_spans[0].offset + t)] == specials.unk);
  }
  CHECK_NE(sources, targets);
  // A padded batch has the same tokens dropped.
  const Batch box = batch_of(20, Layout::padded), dropped_box = dropped(box, 0.3);
  for (std::size_t k = 0; k < before.source_spans.size(); ++k)
    for (int t = 0; t < before.source_spans[k].length; ++t)
      CHECK_EQ(after.source[static_cast<std::size_t>(before.source_spans[k].offset + t)],
               dropped_box.source[static_cast<std::size_t>(box.source_spans[k].offset + t)]);
}

TEST_CASE("word dropout without <unk> is refused") {
  Config config;
  config.data.train = "toy:100";
  config.data.tokenizer = DataConfig::Tokenizer::words;
  config.data.specials.unk = -1;
  config.train.max_updates = updates(1);
  validate(config);
  config.train.word_dropout = 0.1;
  CHECK_THROWS_WITH_AS(validate(config), doctest::Contains("[train.word_dropout] expected 0 with data.unk_id: -1"),
                       Error);
}
