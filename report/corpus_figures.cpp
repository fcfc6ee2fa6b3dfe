#include "report/corpus_figures.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/json_line.h"

namespace glossa {

namespace {

constexpr std::int64_t max_bins = 64, first_ranks = 30;
constexpr double next_rank = 1.06;  // ratio of successive ranks beyond the first ones

/// Counts the lengths in each bin, up to the bin of `longest`. The k-th bin has lengths from k·bin + 1 to (k + 1)·bin
/// tokens.
std::vector<double> histogram(const std::vector<std::int64_t>& lengths, std::int64_t longest, std::int64_t bin) {
  std::vector<double> counts(static_cast<std::size_t>((longest + bin - 1) / bin));
  for (const std::int64_t length : lengths) ++counts[static_cast<std::size_t>((length - 1) / bin)];
  return counts;
}

/// Returns the frequency of each token in one side of the pairs; 0 for special tokens except <unk>.
std::vector<std::int64_t> frequencies(const PairStore& pairs, std::span<const int> IdPair::*side,
                                      const Tokenizer& tokenizer) {
  std::vector<std::int64_t> times(static_cast<std::size_t>(tokenizer.vocabulary_size()));
  for (int i = 0; i < pairs.size(); ++i) {
    const IdPair pair = pairs.pair(i);
    for (const int id : pair.*side) ++times[static_cast<std::size_t>(id)];
  }
  const SpecialIds& specials = tokenizer.specials();
  for (const int id : {specials.pad, specials.bos, specials.eos}) times[static_cast<std::size_t>(id)] = 0;
  return times;
}

/// Adds tokens and their frequencies by rank, the most frequent first. Adds the first 30 ranks, the last, and a
/// selection of those between.
void add_ranks(const std::vector<std::int64_t>& times, std::int64_t seen, const Tokenizer& tokenizer, JsonLine& json) {
  std::vector<int> ids(times.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto times_of = [&](int id) { return times[static_cast<std::size_t>(id)]; };
  std::ranges::stable_sort(ids, std::greater{}, times_of);
  std::vector<double> ranks, counts;
  std::vector<std::string> tokens;
  for (std::int64_t rank = 1; rank <= seen;) {
    const int id = ids[static_cast<std::size_t>(rank - 1)];
    ranks.push_back(static_cast<double>(rank));
    counts.push_back(static_cast<double>(times_of(id)));
    tokens.push_back(tokenizer.token(id));
    const auto further = static_cast<std::int64_t>(next_rank * static_cast<double>(rank));
    const std::int64_t next = rank < first_ranks ? rank + 1 : std::max(rank + 1, further);
    rank = rank < seen ? std::min(next, seen) : next;  // always includes the last rank
  }
  json.add_numbers("rank", ranks).add_numbers("count", counts).add("token", tokens);
}

/// Returns figures of one side of the training pairs. `lengths` do not count special tokens.
JsonLine side_figures(const std::string& language, const std::vector<std::int64_t>& times,
                      std::vector<std::int64_t> lengths, std::int64_t bin, const Tokenizer& tokenizer) {
  const int unk = tokenizer.specials().unk;
  const std::int64_t seen = std::ranges::count_if(times, [](std::int64_t n) { return n > 0; });
  std::ranges::sort(lengths);
  const auto sum = [](const std::vector<std::int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  };
  JsonLine json;
  json.add("language", language).add("tokens", sum(times));
  json.add("unknown", unk >= 0 ? times[static_cast<std::size_t>(unk)] : 0);
  json.add("vocabulary", tokenizer.vocabulary_size()).add("seen", seen).add("once", std::ranges::count(times, 1));
  json.add("mean_length", static_cast<double>(sum(lengths)) / static_cast<double>(lengths.size()));
  json.add("median_length", lengths[lengths.size() / 2]).add("longest", lengths.back());
  json.add_numbers("counts", histogram(lengths, lengths.back(), bin));
  add_ranks(times, seen, tokenizer, json);
  return json;
}

}  // namespace

std::string corpus_figures(const Config& config, const Tokenizers& tokenizers, const PairStore& training) {
  const EncodeOptions encoded = config.data.encoding;
  const int special = (encoded.source_bos ? 1 : 0) + (encoded.source_eos ? 1 : 0);
  std::vector<std::int64_t> source, target;
  for (int i = 0; i < training.size(); ++i) {
    source.push_back(training.source_length(i) - special);
    target.push_back(training.target_length(i) - 1);
  }
  const std::int64_t longest = std::max(std::ranges::max(source), std::ranges::max(target));
  const std::int64_t bin = (longest + max_bins - 1) / max_bins;  // common to both sides, whose curves share an axis
  const Sampler sampler(training, training_sampler_options(config.data, static_cast<std::uint64_t>(config.train.seed)));
  JsonLine json;
  json.add("name", config.data.train.text()).add("pairs", training.size());
  json.add("batches", sampler.lengths().size()).add("bin", bin);
  json.add("source", side_figures(config.data.source, frequencies(training, &IdPair::source, *tokenizers.source),
                                  source, bin, *tokenizers.source));
  json.add("target", side_figures(config.data.target, frequencies(training, &IdPair::target, *tokenizers.target),
                                  target, bin, *tokenizers.target));
  json.add("useful_padded", useful_share(sampler.lengths(), Layout::padded));
  json.add("useful_packed", useful_share(sampler.lengths(), Layout::packed));
  json.add("layout", "packed");
  return json.text();
}

}  // namespace glossa
