#include "data/encoded_corpus.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/counted.h"
#include "base/parallel.h"
#include "data/text/fingerprint.h"

namespace glossa {
namespace {

/// Ratio of the longer to the shorter side.
double ratio(std::size_t source, std::size_t target) {
  return static_cast<double>(std::max(source, target)) / static_cast<double>(std::min(source, target));
}

/// See encode_source. An encoder is a Tokenizer or a LineEncoder.
template <class Encoder>
std::vector<int> source_ids(Encoder& encoder, const SpecialIds& specials, std::string_view text, std::string_view name,
                            std::int64_t line, const EncodeOptions& options) {
  std::vector<int> ids = encoder.encode_line(text, name, line);
  if (ids.empty()) return ids;
  const std::string& prefix = options.source_prefix;
  if (!prefix.empty()) ids = encoder.encode_line(with_prefix(prefix, text), name, line);
  if (options.source_bos) ids.insert(ids.begin(), specials.bos);
  if (options.source_eos) ids.push_back(specials.eos);
  return ids;
}

}  // namespace

std::string with_prefix(std::string_view prefix, std::string_view text) {
  return prefix.empty() ? std::string(text) : fmt::format("{} {}", prefix, text);
}

std::size_t ids_before_text(const Tokenizer& tokenizer, const EncodeOptions& options) {
  const std::size_t prefix = options.source_prefix.empty() ? 0 : tokenizer.encode(options.source_prefix).size();
  return prefix + static_cast<std::size_t>(options.source_bos);
}

std::vector<int> encode_source(const Tokenizer& tokenizer, std::string_view text, std::string_view name,
                               std::int64_t line, const EncodeOptions& options) {
  return source_ids(tokenizer, tokenizer.specials(), text, name, line, options);
}

void check_any_pair(const std::string& name, std::size_t pairs, const EncodeReport& report,
                    const EncodeOptions& options) {
  check(report.pairs > 0 || options.may_be_empty, name,
        "expected at least one pair to train on; got {} of {}, with a maximum length of {}{}. Hint: raise "
        "EncodeOptions::max_length or EncodeOptions::max_ratio",
        describe(report), counted(pairs, "pair"), options.max_length,
        options.max_ratio > 0 ? fmt::format(" and a maximum ratio of {}", options.max_ratio) : "");
}

CorpusEncoder::CorpusEncoder(const Tokenizer& source, const Tokenizer& target, EncodeOptions options)
    : options_(std::move(options)),
      source_specials_(source.specials()),
      target_specials_(target.specials()),
      added_(static_cast<std::size_t>(options_.source_bos) + static_cast<std::size_t>(options_.source_eos)),
      prefix_(ids_before_text(source, options_) - static_cast<std::size_t>(options_.source_bos)),
      encoders_(static_cast<std::size_t>(threads()), Encoders{LineEncoder(source), LineEncoder(target)}) {}

std::vector<int> CorpusEncoder::group_ends() const {
  std::vector<int> ends(group_sizes_.size());
  std::partial_sum(group_sizes_.begin(), group_sizes_.end(), ends.begin());
  return ends.size() > 1 ? ends : std::vector<int>();
}

void CorpusEncoder::encode_block(const ParallelCorpus& corpus, std::size_t begin) {
  for (const CorpusPart& part : corpus.parts)
    group_sizes_.resize(std::max(group_sizes_.size(), std::size_t{part.group} + 1));
  group_sizes_.resize(std::max(group_sizes_.size(), std::size_t{1}));
  constexpr Index grain = 256;
  pairs_.resize(std::min(block, corpus.source.size() - begin));
  parallel_ranges_in_order(std::ssize(pairs_), grain, [&](Index first, Index last) {
    Encoders& own = encoders_[static_cast<std::size_t>(thread_index())];
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      const std::size_t pair = begin + i;
      const std::int64_t line = corpus.line(pair);
      pairs_[i].source =
          source_ids(own.source, source_specials_, corpus.source[pair], corpus.source_of(pair), line, options_);
      pairs_[i].target = own.target.encode_line(corpus.target[pair], corpus.target_of(pair), line);
    }
  });
}

/// Counts a pair; returns false if it is left out.
bool CorpusEncoder::counts(const ParallelCorpus& corpus, std::size_t index, const Pair& pair) {
  const auto& [source, target] = pair;
  if (source.empty() || target.empty()) {
    ++report_.empty;
    return false;
  }
  const std::size_t length = std::max(source.size(), target.size() + 1);
  if (options_.max_length > 0 && length > static_cast<std::size_t>(options_.max_length)) {
    if (report_.too_long++ == 0) report_.first_too_long = corpus.place(index);
    return false;
  }
  // A tokenizer may merge the end of the prefix with the text. At least one token counts as text.
  const std::size_t own = std::max(source.size(), added_ + prefix_ + 1) - added_ - prefix_;
  if (options_.max_ratio > 0 && ratio(own, target.size()) > options_.max_ratio) {
    if (report_.unbalanced++ == 0) report_.first_unbalanced = corpus.place(index);
    return false;
  }
  ++report_.pairs;
  ++group_sizes_.at(corpus.group(index));
  report_.source_tokens += static_cast<std::int64_t>(source.size() - added_);
  report_.target_tokens += static_cast<std::int64_t>(target.size());
  report_.source_unknown += std::count(source.begin(), source.end(), source_specials_.unk);
  report_.target_unknown += std::count(target.begin(), target.end(), target_specials_.unk);
  return true;
}

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
