#include "data/corpora/subword_regularization.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"

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
      before_text_(ids_before_text(*tokenizers.source, config.encoding)),
      max_length_(static_cast<std::size_t>(config.encoding.max_length)),
      seed_(seed) {}

void SubwordRegularization::draw(const PairStore& pairs, std::span<const int> sentences, std::int64_t epoch,
                                 DrawnPairs& drawn) const {
  struct Side {
    const SubwordSampler& sampler;
    std::uint64_t number;
    std::size_t before, after;  // numbers of ids kept in front of the text, and appended later by the batch
  };
  const auto draw_side = [&](const Side& side, std::span<const int> ids, int sentence) {
    const std::uint64_t of_epoch = hash_name("data.subwords") + static_cast<std::uint64_t>(epoch);
    RandomStream random(mix64(seed_) ^ of_epoch, 2 * static_cast<std::uint64_t>(sentence) + side.number);
    const std::span<const int> text = ids.subspan(std::min(side.before, ids.size()));
    std::vector<int> segmentation = side.sampler.draw(text, random);
    if (side.before + segmentation.size() + side.after > max_length_) segmentation = side.sampler.best(text);
    segmentation.insert(segmentation.begin(), ids.begin(), ids.end() - std::ssize(text));
    return segmentation;
  };
  const Side source{*source_, 0, before_text_, 0}, target{*target_, 1, 0, 1};
  drawn.source_.resize(sentences.size());
  drawn.target_.resize(sentences.size());
  drawn.pairs_.resize(sentences.size());
  parallel_for(std::ssize(sentences), [&](Index i) {
    const auto k = static_cast<std::size_t>(i);
    const IdPair pair = pairs.pair(sentences[k]);
    drawn.source_[k] = draw_side(source, pair.source, sentences[k]);
    drawn.target_[k] = draw_side(target, pair.target, sentences[k]);
    drawn.pairs_[k] = {drawn.source_[k], drawn.target_[k]};
  });
}

}  // namespace glossa
