#include "data/encoded_corpus.h"

#include <utility>

#include "base/check.h"
#include "data/text/counted.h"
#include "data/text/fingerprint.h"

namespace glossa {

std::uint64_t data_hash(std::span<const std::uint64_t> fingerprints) {
  Fingerprint hash;
  for (const std::uint64_t fingerprint : fingerprints) hash.add(fingerprint);
  return hash.value();
}

std::uint64_t data_hash(const PairStore& training, const PairStore& validation,
                        std::span<const EncodedCorpus> further) {
  std::vector<std::uint64_t> fingerprints{training.fingerprint(), validation.fingerprint()};
  for (const EncodedCorpus& corpus : further) fingerprints.push_back(corpus.fingerprint());
  return data_hash(fingerprints);
}

EncodedCorpus encode_corpus(const ParallelCorpus& corpus, const Tokenizer& source_tokenizer,
                            const Tokenizer& target_tokenizer, const EncodeOptions& options) {
  EncodedCorpus encoded;
  encoded.use_specials(source_tokenizer.specials(), target_tokenizer.specials());
  CorpusEncoder encoder(source_tokenizer, target_tokenizer, options);
  encoder.encode(corpus, [&](std::size_t pair, std::vector<int> source, std::vector<int> target) {
    encoded.source.push_back(std::move(source));
    encoded.target.push_back(std::move(target));
    encoded.origin.push_back(pair);
  });
  encoded.report = encoder.report();
  encoded.group_ends = encoder.group_ends();
  check_any_pair(corpus.name, corpus.source.size(), encoded.report, options);
  return encoded;
}

}  // namespace glossa
