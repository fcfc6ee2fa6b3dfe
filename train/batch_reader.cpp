#include "train/batch_reader.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "base/stopwatch.h"

namespace glossa {

BatchReader::BatchReader(std::shared_ptr<const PairStore> pairs, const Config& config, const Tokenizers& tokenizers)
    : pairs_(std::move(pairs)),
      passes_(config.train.passes()),
      subwords_(config.data, tokenizers, static_cast<std::uint64_t>(config.train.seed)) {}

void BatchReader::reserve(std::span<const Extents> batches) {
  if (making_.valid()) making_.wait();
  for (Slot* slot : {&current_, &next_}) reserve_batch(slot->batch, batches, Layout::packed);
}

Extents BatchReader::extents(std::span<const int> sentences, std::int64_t epoch, const Extents& known) {
  if (!subwords_.draws()) return known;
  Extents extents;
  subwords_.draw(*pairs_, sentences, epoch, current_.drawn);
  for (const IdPair& pair : current_.drawn.pairs()) extents.add(pair);
  return extents;
}

Batch& BatchReader::read(std::span<const int> sentences, std::int64_t epoch, std::span<const int> next) {
  const Stopwatch watch;
  if (making_.valid()) making_.wait();
  if (making_.valid() && std::ranges::equal(next_.sentences, sentences) && next_.epoch == epoch) {
    std::swap(current_, next_);
    making_.get();  // throws if the pairs are damaged
  } else {
    current_.sentences.assign(sentences.begin(), sentences.end());
    current_.epoch = epoch;
    make(current_);
  }
  if (!pairs_->is_in_file()) return current_.batch;
  waited_ += watch.seconds();
  if (!next.empty()) {
    next_.sentences.assign(next.begin(), next.end());
    next_.epoch = epoch;
    making_ = std::async(std::launch::async | std::launch::deferred, [this] {
      const LoopsAlone alone;  // runs loops in one thread, because the step uses the others
      pairs_->read_ahead(next_.sentences);
      make(next_);
    });
  }
  return current_.batch;
}

void BatchReader::make(Slot& slot) const {
  if (!subwords_.draws()) return fill_batch(slot.batch, *pairs_, slot.sentences, Layout::packed, passes_);
  subwords_.draw(*pairs_, slot.sentences, slot.epoch, slot.drawn);
  fill_batch(slot.batch, *pairs_, slot.sentences, slot.drawn.pairs(), Layout::packed, passes_);
}

}  // namespace glossa
