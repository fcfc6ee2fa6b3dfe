#include "train/prepared/large_text.h"

#include <algorithm>
#include <bitset>
#include <limits>
#include <memory>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "base/console/progress_bar.h"
#include "base/parallel.h"
#include "data/pair_hashes.h"
#include "data/text/fingerprint.h"
#include "data/text/utf8.h"

namespace glossa {

namespace {

constexpr std::size_t block_pairs = 1 << 15;

/// True if there may be pairs to hold out.
bool may_hold_out(const DataConfig& config) { return config.split ? config.split->pairs() > 0 : config.valid.empty(); }

/// Counts distinct hashes, but stops after `most`.
std::int64_t count_different(std::span<const std::uint64_t> hashes, std::size_t most) {
  std::unordered_set<std::uint64_t> found;
  for (const std::uint64_t hash : hashes) {
    found.insert(hash);
    if (found.size() == most) break;
  }
  return std::ssize(found);
}

}  // namespace

LargeText::LargeText(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places,
                     const std::filesystem::path& folder)
    : text_(folder) {
  ProgressBar bar;
  CountProgress progress(bar, "pair");
  whole_ = read_training(config, seed, places, [&](const ParallelCorpus& block, std::uint32_t part) {
    text_.add(block, part);
    progress.add(std::ssize(block.source));
  });
  text_.finish();
  check(text_.size() <= std::numeric_limits<int>::max(), whole_.name,
        "expected at most 2^31 pairs; got {}. Hint: use part of them", text_.size());
  kept_.resize(text_.size());
  std::iota(kept_.begin(), kept_.end(), std::uint32_t{0});
  hashes_ = parallel_map(kept_.size(), block_pairs, [&](std::size_t pair) {
    return content_hash(text_.source(kept_[pair]), text_.target(kept_[pair]));
  });
  Fingerprint all;
  for (const std::uint64_t hash : hashes_) all.add(hash);
  fingerprint_ = all.value();
  drop_repeated(config.duplicates == DataConfig::Duplicates::drop);
  if (may_hold_out(config)) hold_out(config);
}

void LargeText::drop_repeated(bool drops) {
  const std::vector<bool> repeated = repeats(hashes_, [&](std::size_t a, std::size_t b) {
    return text_.source(a) == text_.source(b) && text_.target(a) == text_.target(b);
  });
  const std::int64_t count = std::ranges::count(repeated, true);
  if (!drops || count == 0) {
    whole_.report.repeated = count;
    return;
  }
  whole_.report.duplicate = count;
  keep(repeated);
}

void LargeText::hold_out(const DataConfig& config) {
  auto& [sample, split, validation, test] = held_out_;
  const std::vector<std::uint64_t> sources = parallel_map(
      kept_.size(), block_pairs, [&](std::size_t pair) { return content_hash(text_.source(kept_[pair])); });
  split = config.split ? *config.split : usual_split(count_different(sources, most_sources_that_matter), config);
  const HeldOutPairs chosen = choose_held_out(
      sources, split, [&](std::size_t i) { return std::pair(text_.source(kept_[i]), text_.target(kept_[i])); },
      whole_.name, "data.split");
  validation = test = whole_.without_pairs();
  validation.name += " (held out)";
  test.name += " (held out)";
  for (const std::size_t i : chosen.validation) append(validation, i);
  for (const std::size_t i : chosen.test) append(test, i);
  count_held_out(chosen, split, whole_.report, whole_.report, validation.report, test.report);
  keep(chosen.leave(kept_.size()));
}

void LargeText::keep(const std::vector<bool>& leaves) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i]) continue;
    kept_[left] = kept_[i];
    hashes_[left] = hashes_[i];
    ++left;
  }
  kept_.resize(left);
  hashes_.resize(left);
  whole_.report.pairs = static_cast<std::int64_t>(left);
}

void LargeText::append(ParallelCorpus& to, std::size_t pair) const {
  const std::size_t i = kept_[pair];
  to.add(text_.source(i), text_.target(i), text_.line(i));
  if (!whole_.parts.empty()) to.part.push_back(text_.part(i));
}

ParallelCorpus LargeText::sample(std::size_t count, bool with_first) const {
  ParallelCorpus some = whole_.without_pairs();
  some.report = whole_.report;
  const std::vector<std::size_t> chosen = pair_sample(hashes_, count);
  if (with_first && !chosen.empty() && chosen.front() > 0) append(some, 0);
  for (const std::size_t pair : chosen) append(some, pair);
  return some;
}

CorpusSize LargeText::measured() const {
  constexpr std::size_t code_points = 0x110000;
  using Alphabet = std::bitset<code_points>;
  Alphabet all;
  std::vector<std::unique_ptr<Alphabet>> of_threads(static_cast<std::size_t>(threads()));
  parallel_ranges(std::ssize(kept_), block_pairs, [&](Index begin, Index end) {
    std::unique_ptr<Alphabet>& own = of_threads[static_cast<std::size_t>(thread_index())];
    if (!own) own = std::make_unique<Alphabet>();
    for (auto pair = static_cast<std::size_t>(begin); pair < static_cast<std::size_t>(end); ++pair)
      for (const std::string_view side : {text_.source(kept_[pair]), text_.target(kept_[pair])})
        utf8::for_each(side, [&](std::string_view, const utf8::CodePoint& c) { own->set(c.value); });
  });
  for (const std::unique_ptr<Alphabet>& own : of_threads)
    if (own) all |= *own;
  all.reset(U' ');
  return {.pairs = std::ssize(kept_), .alphabet = static_cast<std::int64_t>(all.count())};
}

void LargeText::for_each_block(const std::function<void(const ParallelCorpus&, std::size_t)>& use) const {
  for (std::size_t first = 0; first < kept_.size(); first += block_pairs) {
    const std::size_t count = std::min(block_pairs, kept_.size() - first);
    ParallelCorpus block = whole_.without_pairs();
    block.source.resize(count);
    block.target.resize(count);
    block.lines.resize(count);
    if (!whole_.parts.empty()) block.part.resize(count);
    parallel_ranges(static_cast<Index>(count), 1024, [&](Index begin, Index end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        const std::size_t pair = kept_[first + i];
        block.source[i] = text_.source(pair);
        block.target[i] = text_.target(pair);
        block.lines[i] = text_.line(pair);
        if (!block.part.empty()) block.part[i] = text_.part(pair);
      }
    });
    use(block, first);
  }
}

std::uint64_t text_fingerprint(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places) {
  Fingerprint all;
  read_training(config, seed, places, [&](const ParallelCorpus& block, std::uint32_t) {
    for (const std::uint64_t hash : hashes_of(block)) all.add(hash);
  });
  return all.value();
}

}  // namespace glossa
