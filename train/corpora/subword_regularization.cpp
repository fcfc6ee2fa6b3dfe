#include "train/corpora/subword_regularization.h"

#include <utility>

#include "autograd/check.h"
#include "autograd/parallel.h"
#include "autograd/random.h"

namespace glossa {

namespace {

std::optional<SubwordSampler> sampler_of(const DataConfig& config, const Tokenizer& tokenizer) {
  if (config.bpe_dropout == 0 && config.unigram_sampling == 0) return {};
  const bool merges = config.bpe_dropout > 0;
  std::vector<ScoredPiece> pieces = tokenizer.pieces();
  if (SubwordSampler::is_bpe(pieces) != merges)
    misuse(merges ? "data.bpe_dropout" : "data.unigram_sampling",
           "expected 0 with a vocabulary of {}; got {}. Hint: set data.{} instead", merges ? "a unigram model" : "BPE",
           merges ? config.bpe_dropout : config.unigram_sampling, merges ? "unigram_sampling" : "bpe_dropout");
  return SubwordSampler(std::move(pieces), merges ? SubwordSampler::Rule::bpe_dropout : SubwordSampler::Rule::unigram,
                        merges ? config.bpe_dropout : config.unigram_sampling);
}

}  // namespace

SubwordRegularization::SubwordRegularization(const DataConfig& config, const Tokenizers& tokenizers, std::uint64_t seed)
    : source_(sampler_of(config, *tokenizers.source)),
      target_(sampler_of(config, *tokenizers.target)),
      max_length_(static_cast<std::size_t>(config.max_length)),
      seed_(seed) {}

void SubwordRegularization::draw(EncodedCorpus& corpus, std::span<const int> sentences, std::int64_t epoch) const {
  if (!source_) return;
  const auto draw_side = [&](const SubwordSampler& sampler, std::vector<int>& ids, std::uint64_t side, int sentence,
                             std::size_t added) {
    const std::uint64_t of_epoch = hash_name("data.subwords") + static_cast<std::uint64_t>(epoch);
    RandomStream random(mix64(seed_) ^ of_epoch, 2 * static_cast<std::uint64_t>(sentence) + side);
    std::vector<int> drawn = sampler.draw(ids, random);
    ids = drawn.size() + added <= max_length_ ? std::move(drawn) : sampler.best(ids);
  };
  parallel_for(std::ssize(sentences), [&](Index i) {
    const int sentence = sentences[i];
    draw_side(*source_, corpus.source[static_cast<std::size_t>(sentence)], 0, sentence, 0);
    draw_side(*target_, corpus.target[static_cast<std::size_t>(sentence)], 1, sentence, 1);  // and </s>
  });
}

}  // namespace glossa
