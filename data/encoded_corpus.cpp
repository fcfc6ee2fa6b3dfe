#include "data/encoded_corpus.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "data/text/counted.h"
#include "data/text/fingerprint.h"

namespace glossa {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

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

/// Encodes the pairs of a corpus in order, a block at a time, with all threads.
class BlockEncoder {
 public:
  struct Pair {
    std::vector<int> source, target;
  };

  BlockEncoder(const ParallelCorpus& corpus, const Tokenizer& source, const Tokenizer& target,
               const EncodeOptions& options)
      : corpus_(corpus),
        options_(options),
        specials_(source.specials()),
        encoders_(static_cast<std::size_t>(threads()), Encoders{LineEncoder(source), LineEncoder(target)}) {}

  /// The ids of a pair. Pairs must be asked for in order.
  Pair& pair(std::size_t index) {
    if (index == end_) encode_next_block();
    return pairs_[index % block];
  }

 private:
  static constexpr std::size_t block = 1 << 15;
  static constexpr Index grain = 256;

  struct Encoders {
    LineEncoder source, target;
  };

  void encode_next_block() {
    const std::size_t begin = end_;
    end_ = std::min(begin + block, corpus_.source.size());
    pairs_.resize(end_ - begin);
    parallel_ranges_in_order(std::ssize(pairs_), grain, [&](Index first, Index last) {
      Encoders& own = encoders_[static_cast<std::size_t>(thread_index())];
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        const std::size_t pair = begin + i;
        const std::int64_t line = corpus_.line(pair);
        pairs_[i].source =
            source_ids(own.source, specials_, corpus_.source[pair], corpus_.source_of(pair), line, options_);
        pairs_[i].target = own.target.encode_line(corpus_.target[pair], corpus_.target_of(pair), line);
      }
    });
  }

  const ParallelCorpus& corpus_;
  const EncodeOptions& options_;
  const SpecialIds specials_;       // of the source
  std::vector<Encoders> encoders_;  // one for each thread
  std::vector<Pair> pairs_;         // of the current block
  std::size_t end_ = 0;             // of the current block
};

}  // namespace

std::uint64_t EncodedCorpus::fingerprint() const {
  Fingerprint hash;
  for (const auto* side : {&source, &target})
    for (const std::vector<int>& sentence : *side) {
      hash.add(sentence.size());
      for (const int id : sentence) hash.add(static_cast<std::uint64_t>(id));
    }
  return hash.value();
}

std::uint64_t data_hash(const EncodedCorpus& training, const EncodedCorpus& validation,
                        std::span<const EncodedCorpus> further) {
  Fingerprint hash;
  hash.add(training.fingerprint()).add(validation.fingerprint());
  for (const EncodedCorpus& corpus : further) hash.add(corpus.fingerprint());
  return hash.value();
}

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

EncodedCorpus encode_corpus(const ParallelCorpus& corpus, const Tokenizer& source_tokenizer,
                            const Tokenizer& target_tokenizer, const EncodeOptions& options) {
  EncodedCorpus encoded;
  const SpecialIds &of_source = source_tokenizer.specials(), &of_target = target_tokenizer.specials();
  encoded.specials = of_target;
  if (of_source.pad != of_target.pad) encoded.source_pad = of_source.pad;
  EncodeReport& report = encoded.report;
  const std::size_t added = static_cast<std::size_t>(options.source_bos) + static_cast<std::size_t>(options.source_eos);
  const std::size_t before =
      ids_before_text(source_tokenizer, options) - static_cast<std::size_t>(options.source_bos);  // of the prefix
  BlockEncoder blocks(corpus, source_tokenizer, target_tokenizer, options);
  for (std::size_t pair = 0; pair < corpus.source.size(); ++pair) {
    auto& [source, target] = blocks.pair(pair);
    if (source.empty() || target.empty()) {
      ++report.empty;
      continue;
    }
    const std::size_t length = std::max(source.size(), target.size() + 1);
    if (options.max_length > 0 && length > static_cast<std::size_t>(options.max_length)) {
      if (report.too_long++ == 0) report.first_too_long = corpus.place(pair);
      continue;
    }
    // A tokenizer may merge the end of the prefix with the text; at least one token counts as the text's.
    const std::size_t own = std::max(source.size(), added + before + 1) - added - before;
    if (options.max_ratio > 0 && ratio(own, target.size()) > options.max_ratio) {
      if (report.unbalanced++ == 0) report.first_unbalanced = corpus.place(pair);
      continue;
    }
    ++report.pairs;
    report.source_tokens += static_cast<std::int64_t>(source.size() - added);
    report.target_tokens += static_cast<std::int64_t>(target.size());
    report.source_unknown += std::count(source.begin(), source.end(), of_source.unk);
    report.target_unknown += std::count(target.begin(), target.end(), of_target.unk);
    encoded.source.push_back(std::move(source));
    encoded.target.push_back(std::move(target));
    encoded.origin.push_back(pair);
  }
  check(report.pairs > 0 || options.may_be_empty, corpus.name,
        "expected at least one pair to train on; got {} of {}, with a maximum length of {}{}. Hint: raise "
        "EncodeOptions::max_length or EncodeOptions::max_ratio",
        describe(report), counted(corpus.source.size(), "pair"), options.max_length,
        options.max_ratio > 0 ? fmt::format(" and a maximum ratio of {}", options.max_ratio) : "");
  return encoded;
}

LeftOut left_out(const EncodeReport& report) {
  LeftOut all;
  all.add("empty", report.empty, counted(report.empty, "pair") + " without a token on a side");
  all.add("length", report.too_long, "first: " + report.first_too_long);
  return all.add("ratio", report.unbalanced, "first: " + report.first_unbalanced);
}

std::string describe(const EncodeReport& report, bool with_left_out) {
  const auto tokens = [](std::int64_t count, const char* side, std::int64_t unknown) {
    return fmt::format(", {} ({:.2f} % unknown)", counted(count, fmt::format("{} token", side)), share(unknown, count));
  };
  std::string text = counted(report.pairs, "pair") + tokens(report.source_tokens, "source", report.source_unknown) +
                     tokens(report.target_tokens, "target", report.target_unknown);
  if (with_left_out)
    for (const std::string& line : left_out(report).lines()) text += "; " + line;
  return text;
}

}  // namespace glossa
