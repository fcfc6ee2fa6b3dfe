#include "app/report/corpus_figures.h"

#include <algorithm>
#include <numeric>

#include "train/console/json_line.h"

namespace glossa {

namespace {

constexpr std::int64_t max_bins = 64, first_ranks = 30;
constexpr double next_rank = 1.06;  // ratio of successive ranks beyond the first ones

void summarize_lengths(std::vector<std::int64_t> lengths, SideFigures& side) {
  std::sort(lengths.begin(), lengths.end());
  side.longest = lengths.back();
  side.median_length = lengths[lengths.size() / 2];
  side.mean_length = static_cast<double>(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0})) /
                     static_cast<double>(lengths.size());
}

/// The number of lengths in each bin, up to that of the longest.
std::vector<std::int64_t> histogram(const std::vector<std::int64_t>& lengths, std::int64_t longest, std::int64_t bin) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>((longest + bin - 1) / bin));
  for (const std::int64_t length : lengths) ++counts[static_cast<std::size_t>((length - 1) / bin)];
  return counts;
}

void count_tokens(const std::vector<std::vector<int>>& sentences, const Tokenizer& tokenizer, SideFigures& side) {
  side.vocabulary = tokenizer.vocabulary_size();
  std::vector<std::int64_t> times(static_cast<std::size_t>(side.vocabulary));
  for (const std::vector<int>& sentence : sentences)
    for (const int id : sentence) ++times[static_cast<std::size_t>(id)];
  const SpecialIds& specials = tokenizer.specials();
  for (const int id : {specials.pad, specials.bos, specials.eos}) times[static_cast<std::size_t>(id)] = 0;
  side.tokens = std::accumulate(times.begin(), times.end(), std::int64_t{0});
  if (specials.unk >= 0) side.unknown = times[static_cast<std::size_t>(specials.unk)];
  side.seen = std::count_if(times.begin(), times.end(), [](std::int64_t n) { return n > 0; });
  side.once = std::count(times.begin(), times.end(), 1);

  std::vector<int> ids(times.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto times_of = [&](int id) { return times[static_cast<std::size_t>(id)]; };
  std::stable_sort(ids.begin(), ids.end(), [&](int a, int b) { return times_of(a) > times_of(b); });
  for (std::int64_t rank = 1; rank <= side.seen;) {
    const int id = ids[static_cast<std::size_t>(rank - 1)];
    side.rank.push_back(rank);
    side.count.push_back(times_of(id));
    side.token.push_back(tokenizer.token(id));
    const auto further = static_cast<std::int64_t>(next_rank * static_cast<double>(rank));
    const std::int64_t next = rank < first_ranks ? rank + 1 : std::max(rank + 1, further);
    rank = rank < side.seen ? std::min(next, side.seen) : next;  // always includes the last
  }
}

JsonLine json_of(const SideFigures& side) {
  const auto numbers = [](const std::vector<std::int64_t>& whole) {
    return std::vector<double>(whole.begin(), whole.end());
  };
  JsonLine json;
  json.add("language", side.language).add("tokens", side.tokens).add("unknown", side.unknown);
  json.add("vocabulary", side.vocabulary).add("seen", side.seen).add("once", side.once);
  json.add("mean_length", side.mean_length).add("median_length", side.median_length).add("longest", side.longest);
  json.add_numbers("counts", numbers(side.counts));
  json.add_numbers("rank", numbers(side.rank)).add_numbers("count", numbers(side.count)).add("token", side.token);
  return json;
}

}  // namespace

CorpusFigures corpus_figures(const Config& config, const Tokenizers& tokenizers, const EncodedCorpus& training) {
  CorpusFigures figures;
  figures.name = config.data.train.text();
  figures.pairs = training.size();
  figures.source.language = config.data.source;
  figures.target.language = config.data.target;
  const EncodeOptions encoded = encode_options(config.data);
  const int special = (encoded.source_bos ? 1 : 0) + (encoded.source_eos ? 1 : 0);
  std::vector<std::int64_t> source, target;
  for (int i = 0; i < training.size(); ++i) {
    source.push_back(training.source_length(i) - special);
    target.push_back(training.target_length(i) - 1);
  }
  summarize_lengths(source, figures.source);
  summarize_lengths(target, figures.target);
  const std::int64_t longest = std::max(figures.source.longest, figures.target.longest);
  figures.bin = (longest + max_bins - 1) / max_bins;
  figures.source.counts = histogram(source, figures.source.longest, figures.bin);
  figures.target.counts = histogram(target, figures.target.longest, figures.bin);
  count_tokens(training.source, *tokenizers.source, figures.source);
  count_tokens(training.target, *tokenizers.target, figures.target);

  const auto batches =
      Sampler(training, sampler_options(config.data, static_cast<std::uint64_t>(config.train.seed))).epoch(0, true);
  figures.batches = std::ssize(batches);
  figures.useful_padded = useful_share(training, batches, Layout::padded);
  figures.useful_packed = useful_share(training, batches, Layout::packed);
  figures.layout = layout(config.data) == Layout::packed ? "packed" : "padded";
  return figures;
}

std::string to_json(const CorpusFigures& figures) {
  JsonLine json;
  json.add("name", figures.name).add("pairs", figures.pairs).add("batches", figures.batches).add("bin", figures.bin);
  json.add("source", json_of(figures.source)).add("target", json_of(figures.target));
  json.add("useful_padded", figures.useful_padded).add("useful_packed", figures.useful_packed);
  json.add("layout", figures.layout);
  return json.text();
}

}  // namespace glossa
