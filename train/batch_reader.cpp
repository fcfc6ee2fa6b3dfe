#include "train/batch_reader.h"

#include <algorithm>
#include <utility>

#include "base/parallel.h"
#include "base/start_thread.h"
#include "base/stopwatch.h"

namespace glossa {

BatchReader::BatchReader(std::shared_ptr<const PairStore> pairs, const Config& config, const Tokenizers& tokenizers)
    : pairs_(std::move(pairs)),
      passes_(config.train.passes()),
      subwords_(config.data, tokenizers, static_cast<std::uint64_t>(config.train.seed)) {
  if (pairs_->is_in_file()) thread_ = start_thread([this] { work(); });
}

BatchReader::~BatchReader() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BatchReader::reserve(std::span<const Extents> batches) {
  finish();
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
  finish();
  if (std::ranges::equal(next_.sentences, sentences) && next_.epoch == epoch) {
    std::swap(current_, next_);
    next_.sentences.clear();  // words may have been dropped from its batch
    if (current_.error) std::rethrow_exception(std::exchange(current_.error, {}));
  } else {
    current_.sentences.assign(sentences.begin(), sentences.end());
    current_.epoch = epoch;
    make(current_);
  }
  if (thread_.joinable()) {
    waited_ += watch.seconds();
    if (!next.empty()) begin(next, epoch);
  }
  return current_.batch;
}

void BatchReader::make(Slot& slot) const {
  if (!subwords_.draws()) return fill_batch(slot.batch, *pairs_, slot.sentences, Layout::packed, passes_);
  subwords_.draw(*pairs_, slot.sentences, slot.epoch, slot.drawn);
  fill_batch(slot.batch, *pairs_, slot.sentences, slot.drawn.pairs(), Layout::packed, passes_);
}

/// Lets the thread make a batch.
void BatchReader::begin(std::span<const int> sentences, std::int64_t epoch) {
  next_.sentences.assign(sentences.begin(), sentences.end());
  next_.epoch = epoch;
  next_.error = {};
  {
    const std::lock_guard lock(mutex_);
    is_busy_ = true;
  }
  changed_.notify_all();
}

/// Waits until the thread is idle.
void BatchReader::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !is_busy_; });
}

void BatchReader::work() {
  const LoopsAlone alone;  // the team computes the step
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_busy_ || ends_; });
    if (ends_) return;
    lock.unlock();
    try {
      pairs_->read_ahead(next_.sentences);
      make(next_);
    } catch (...) {
      next_.error = std::current_exception();
    }
    lock.lock();
    is_busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace glossa
