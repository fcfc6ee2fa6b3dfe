#include "data/batch.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace glossa {

void fill_batch(Batch& batch, const PairStore& pairs, std::span<const int> indices, std::span<const IdPair> drawn,
                Layout layout, int passes) {
  check(!indices.empty(), "batch", "expected at least one sentence; got none");
  Extents extents;
  for (const int i : indices) {
    check(i >= 0 && i < pairs.size(), "batch", "expected sentences from 0 to {}; got {}", pairs.size() - 1, i);
    if (drawn.empty()) extents.add(pairs.source_length(i), pairs.target_length(i), passes);
  }
  for (const IdPair& pair : drawn) extents.add(pair.source_length(), pair.target_length(), passes);

  const SpecialIds& specials = pairs.specials;
  const Extent &source = extents.source, &target = extents.target;
  const std::int64_t rows = std::max(source.rows(extents.sentences, layout), target.rows(extents.sentences, layout));
  check(rows <= std::numeric_limits<int>::max(), "batch",
        "expected fewer than 2^31 rows; got {}. Hint: use fewer rows at a time", rows);
  batch.sentences = static_cast<int>(extents.sentences);
  batch.sentence_ids.clear();
  batch.padded = layout == Layout::padded;
  batch.source_tokens = source.tokens;
  batch.target_tokens = target.tokens;
  batch.source_rows = static_cast<int>(source.rows(extents.sentences, layout));
  batch.target_rows = static_cast<int>(target.rows(extents.sentences, layout));
  batch.source.assign(static_cast<std::size_t>(batch.source_rows), pairs.source_pad.value_or(specials.pad));
  batch.target_in.assign(static_cast<std::size_t>(batch.target_rows), specials.pad);
  batch.target_out.assign(static_cast<std::size_t>(batch.target_rows), specials.pad);
  batch.source_spans.clear();
  batch.target_spans.clear();
  int source_offset = 0, target_offset = 0;
  const auto add = [&](std::uint32_t id, const IdPair& pair) {
    const auto& [x, y] = pair;
    batch.sentence_ids.push_back(id);
    batch.source_spans.push_back({source_offset, pair.source_length()});
    batch.target_spans.push_back({target_offset, pair.target_length()});
    std::copy(x.begin(), x.end(), batch.source.begin() + source_offset);
    batch.target_in[static_cast<std::size_t>(target_offset)] = specials.bos;
    std::copy(y.begin(), y.end(), batch.target_in.begin() + target_offset + 1);
    *std::copy(y.begin(), y.end(), batch.target_out.begin() + target_offset) = specials.eos;
    source_offset += batch.padded ? source.longest : pair.source_length();
    target_offset += batch.padded ? target.longest : pair.target_length();
  };
  for (int pass = 0; pass < passes; ++pass)
    for (std::size_t k = 0; k < indices.size(); ++k)
      add(static_cast<std::uint32_t>(indices[k]) | (pass > 0 ? second_pass : 0),
          drawn.empty() ? pairs.pair(indices[k]) : drawn[k]);
}

void fill_batch(Batch& batch, const PairStore& pairs, std::span<const int> indices, Layout layout, int passes) {
  fill_batch(batch, pairs, indices, {}, layout, passes);
}

Batch make_batch(const PairStore& pairs, std::span<const int> indices, Layout layout, int passes) {
  Batch batch;
  fill_batch(batch, pairs, indices, layout, passes);
  return batch;
}

void reserve_batch(Batch& batch, std::span<const Extents> batches, Layout layout) {
  std::size_t sentences = 0, source_rows = 0, target_rows = 0;
  for (const Extents& extents : batches) {
    sentences = std::max(sentences, static_cast<std::size_t>(extents.sentences));
    source_rows = std::max(source_rows, static_cast<std::size_t>(extents.source.rows(extents.sentences, layout)));
    target_rows = std::max(target_rows, static_cast<std::size_t>(extents.target.rows(extents.sentences, layout)));
  }
  batch.sentence_ids.reserve(sentences);
  batch.source_spans.reserve(sentences);
  batch.target_spans.reserve(sentences);
  batch.source.reserve(source_rows);
  batch.target_in.reserve(target_rows);
  batch.target_out.reserve(target_rows);
}

double useful_share(std::span<const Extents> batches, Layout layout) {
  std::int64_t useful = 0, rows = 0;
  for (const Extents& extents : batches) {
    useful += extents.rows(Layout::packed);
    rows += extents.rows(layout);
  }
  return static_cast<double>(useful) / static_cast<double>(rows);
}

}  // namespace glossa
