#include "data/batch.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace glossa {
namespace {

/// Rows of one side for sentences of the given lengths.
struct Extent {
  int longest = 0;
  std::int64_t tokens = 0;

  void add(int length) {
    longest = std::max(longest, length);
    tokens += length;
  }
  std::int64_t rows(std::size_t sentences, Layout layout) const {
    return layout == Layout::packed ? tokens : static_cast<std::int64_t>(sentences) * longest;
  }
};

/// Extents of the source and target side of the given sentences.
std::pair<Extent, Extent> extents(const EncodedCorpus& corpus, std::span<const int> indices) {
  Extent source, target;
  for (const int i : indices) {
    source.add(corpus.source_length(i));
    target.add(corpus.target_length(i));
  }
  return {source, target};
}

}  // namespace

void fill_batch(Batch& batch, const EncodedCorpus& corpus, std::span<const int> indices, Layout layout) {
  check(!indices.empty(), "batch", "expected at least one sentence; got none");
  for (const int i : indices)
    check(i >= 0 && i < corpus.size(), "batch", "expected sentences from 0 to {}; got {}", corpus.size() - 1, i);
  const SpecialIds& specials = corpus.specials;
  const auto [source, target] = extents(corpus, indices);
  const std::int64_t rows = std::max(source.rows(indices.size(), layout), target.rows(indices.size(), layout));
  check(rows <= std::numeric_limits<int>::max(), "batch",
        "expected fewer than 2^31 rows; got {}. Hint: use fewer rows at a time", rows);
  batch.sentences = static_cast<int>(indices.size());
  batch.sentence_ids.assign(indices.begin(), indices.end());
  batch.padded = layout == Layout::padded;
  batch.source_tokens = source.tokens;
  batch.target_tokens = target.tokens;
  batch.source_rows = static_cast<int>(source.rows(indices.size(), layout));
  batch.target_rows = static_cast<int>(target.rows(indices.size(), layout));
  batch.source.assign(static_cast<std::size_t>(batch.source_rows), corpus.source_pad.value_or(specials.pad));
  batch.target_in.assign(static_cast<std::size_t>(batch.target_rows), specials.pad);
  batch.target_out.assign(static_cast<std::size_t>(batch.target_rows), specials.pad);
  batch.source_spans.clear();
  batch.target_spans.clear();
  int source_offset = 0, target_offset = 0;
  for (const int i : indices) {
    const std::vector<int>& x = corpus.source[static_cast<std::size_t>(i)];
    const std::vector<int>& y = corpus.target[static_cast<std::size_t>(i)];
    batch.source_spans.push_back({source_offset, corpus.source_length(i)});
    batch.target_spans.push_back({target_offset, corpus.target_length(i)});
    std::copy(x.begin(), x.end(), batch.source.begin() + source_offset);
    batch.target_in[static_cast<std::size_t>(target_offset)] = specials.bos;
    std::copy(y.begin(), y.end(), batch.target_in.begin() + target_offset + 1);
    *std::copy(y.begin(), y.end(), batch.target_out.begin() + target_offset) = specials.eos;
    source_offset += batch.padded ? source.longest : corpus.source_length(i);
    target_offset += batch.padded ? target.longest : corpus.target_length(i);
  }
}

Batch make_batch(const EncodedCorpus& corpus, std::span<const int> indices, Layout layout) {
  Batch batch;
  fill_batch(batch, corpus, indices, layout);
  return batch;
}

void reserve_batch(Batch& batch, const EncodedCorpus& corpus, std::span<const std::vector<int>> batches,
                   Layout layout) {
  std::size_t sentences = 0, source_rows = 0, target_rows = 0;
  for (const std::vector<int>& indices : batches) {
    const auto [source, target] = extents(corpus, indices);
    sentences = std::max(sentences, indices.size());
    source_rows = std::max(source_rows, static_cast<std::size_t>(source.rows(indices.size(), layout)));
    target_rows = std::max(target_rows, static_cast<std::size_t>(target.rows(indices.size(), layout)));
  }
  batch.sentence_ids.reserve(sentences);
  batch.source_spans.reserve(sentences);
  batch.target_spans.reserve(sentences);
  batch.source.reserve(source_rows);
  batch.target_in.reserve(target_rows);
  batch.target_out.reserve(target_rows);
}

double useful_share(const EncodedCorpus& corpus, std::span<const std::vector<int>> batches, Layout layout) {
  std::int64_t useful = 0, rows = 0;
  for (const std::vector<int>& indices : batches) {
    const auto [source, target] = extents(corpus, indices);
    useful += source.tokens + target.tokens;
    rows += source.rows(indices.size(), layout) + target.rows(indices.size(), layout);
  }
  return static_cast<double>(useful) / static_cast<double>(rows);
}

}  // namespace glossa
