#include "data/encoded_corpus.h"

#include <algorithm>
#include <utility>

#include "autograd/check.h"
#include "data/text/counted.h"
#include "data/text/fingerprint.h"

namespace glossa {
namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

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

std::uint64_t data_hash(const EncodedCorpus& training, const EncodedCorpus& validation) {
  return Fingerprint().add(training.fingerprint()).add(validation.fingerprint()).value();
}

EncodedCorpus encode_corpus(const ParallelCorpus& corpus, const Tokenizer& source_tokenizer,
                            const Tokenizer& target_tokenizer, const EncodeOptions& options) {
  EncodedCorpus encoded;
  const SpecialIds &of_source = source_tokenizer.specials(), &of_target = target_tokenizer.specials();
  encoded.specials = of_target;
  if (of_source.pad != of_target.pad) encoded.source_pad = of_source.pad;
  EncodeReport& report = encoded.report;
  const std::size_t added = static_cast<std::size_t>(options.source_bos) + static_cast<std::size_t>(options.source_eos);
  for (std::size_t pair = 0; pair < corpus.source.size(); ++pair) {
    const std::int64_t line = corpus.line(pair);
    std::vector<int> source = source_tokenizer.encode_line(corpus.source[pair], corpus.source_name, line);
    std::vector<int> target = target_tokenizer.encode_line(corpus.target[pair], corpus.target_name, line);
    const std::size_t length = std::max(source.size() + added, target.size() + 1);
    if (source.empty() || target.empty()) {
      ++report.empty;
      continue;
    }
    if (options.max_length > 0 && length > static_cast<std::size_t>(options.max_length)) {
      if (report.too_long++ == 0) report.first_too_long = line;
      continue;
    }
    ++report.pairs;
    report.source_tokens += static_cast<std::int64_t>(source.size());
    report.target_tokens += static_cast<std::int64_t>(target.size());
    report.source_unknown += std::count(source.begin(), source.end(), of_source.unk);
    report.target_unknown += std::count(target.begin(), target.end(), of_target.unk);
    if (options.source_bos) source.insert(source.begin(), of_source.bos);
    if (options.source_eos) source.push_back(of_source.eos);
    encoded.source.push_back(std::move(source));
    encoded.target.push_back(std::move(target));
    encoded.origin.push_back(pair);
  }
  check(report.pairs > 0 || options.may_be_empty, corpus.name,
        "expected at least one pair to train on; got {} of {} pairs. Hint: EncodeOptions::max_length is {}",
        describe(report), corpus.source.size(), options.max_length);
  return encoded;
}

std::string describe(const EncodeReport& report) {
  const auto tokens = [](std::int64_t count, const char* side, std::int64_t unknown) {
    return fmt::format(", {} ({:.2f} % unknown)", counted(count, fmt::format("{} token", side)), share(unknown, count));
  };
  std::string text = counted(report.pairs, "pair") + tokens(report.source_tokens, "source", report.source_unknown) +
                     tokens(report.target_tokens, "target", report.target_unknown);
  if (report.too_long > 0)
    text += fmt::format(", {} skipped for being too long (first: line {})", report.too_long, report.first_too_long);
  if (report.empty > 0) text += fmt::format(", {} skipped for having no token on a side", report.empty);
  return text;
}

}  // namespace glossa
