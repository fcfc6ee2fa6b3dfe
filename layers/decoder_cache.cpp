#include "layers/decoder_cache.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"

namespace glossa {

namespace {

/// A target's initial room in tokens, enough for most translations of sources with these lengths.
Index first_room(const RowLayout& memory) {
  Index longest = 0;
  for (const RowSpan& source : memory.sequences) longest = std::max(longest, source.length);
  return std::max<Index>(16, longest + longest / 4);
}

}  // namespace

template <class T>
void DecoderCache<T>::start(Index layers, Index width, Index rows, Index capacity, const RowLayout& memory) {
  check(memory.sequence_count() >= 1 && rows % memory.sequence_count() == 0, "decoder_cache",
        "expected equally many rows for each of {} sequences; got {} rows", memory.sequence_count(), rows);
  width_ = width;
  capacity_ = capacity;
  room_ = std::min(capacity, first_room(memory));
  position_ = 0;
  memory_rows_ = memory.rows;
  slot_count_ = rows;
  slots_.resize(static_cast<std::size_t>(rows));
  std::iota(slots_.begin(), slots_.end(), Index{0});
  free_slots_.clear();
  copies_.clear();  // an earlier batch may have left copies when it ran out of memory
  layers_.assign(static_cast<std::size_t>(layers), {});
  arena_.reset();
  for (LayerCache<T>& layer : layers_)
    layer = {.past = arena_.array<T>(slot_count_ * slot_size()), .memory = arena_.array<T>(memory.rows * 2 * width)};
  memory_spans_.clear();
  for (Index r = 0; r < rows; ++r) memory_spans_.push_back(memory.sequences[r * memory.sequence_count() / rows]);
}

template <class T>
LayerCache<T>& DecoderCache<T>::layer(Index i) {
  check(i >= 0 && i < std::ssize(layers_), "decoder_cache",
        "expected a cache started for this stack; got layer {} of {}", i, layers_.size());
  return layers_[static_cast<std::size_t>(i)];
}

/// Returns the slot of an ended row, or a new slot.
template <class T>
Index DecoderCache<T>::free_slot() {
  if (free_slots_.empty()) return slot_count_++;
  const Index slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

/// Allocates room for at least `count` past values in every layer.
template <class T>
void DecoderCache<T>::make_room(Index count) {
  for (LayerCache<T>& layer : layers_) {
    if (std::ssize(layer.past) >= count) continue;
    const std::span<T> past = arena_.array<T>(count);
    std::ranges::copy(layer.past, past.begin());
    layer.past = past;
  }
}

template <class T>
void DecoderCache<T>::copy_slots() {
  if (copies_.empty()) return;
  make_room(slot_count_ * slot_size());
  parallel_for(static_cast<Index>(layers_.size()), [&](Index i) {
    T* const past = layers_[i].past.data();
    for (const auto [from, to] : copies_)
      std::copy_n(past + from * slot_size(), position_ * 2 * width_, past + to * slot_size());
  });
  copies_.clear();
}

template <class T>
void DecoderCache<T>::select(std::span<const Index> survivors) {
  for (const Index from : survivors)
    check(from >= 0 && from < rows(), "decoder_cache", "expected rows below {}; got {}", rows(), from);
  old_slots_.swap(slots_);
  old_spans_.swap(memory_spans_);
  slots_.clear();
  memory_spans_.clear();
  is_taken_.assign(old_slots_.size(), false);
  constexpr Index none = -1;
  for (const Index from : survivors) {  // the first row that continues an old row takes the old row's slot
    slots_.push_back(is_taken_[from] ? none : old_slots_[from]);
    memory_spans_.push_back(old_spans_[from]);
    is_taken_[from] = true;
  }
  for (std::size_t r = 0; r < old_slots_.size(); ++r)
    if (!is_taken_[r]) free_slots_.push_back(old_slots_[r]);
  for (Index r = 0; r < rows(); ++r)
    if (slots_[r] == none) {
      slots_[r] = free_slot();
      copies_.push_back({old_slots_[survivors[r]], slots_[r]});
    }
  copy_slots();
}

template <class T>
void DecoderCache<T>::advance() {
  ++position_;
  if (position_ == room_ && room_ < capacity_) grow(std::min(capacity_, 2 * room_));
}

/// Grows slots in place to `room` tokens, after moving the used slots to the front.
template <class T>
void DecoderCache<T>::grow(Index room) {
  std::erase_if(free_slots_, [&](Index slot) { return slot >= rows(); });
  for (Index& slot : slots_)
    if (slot >= rows()) {
      const Index to = free_slot();
      copies_.push_back({std::exchange(slot, to), to});
    }
  copy_slots();
  slot_count_ = rows();
  make_room(slot_count_ * room * 2 * width_);
  parallel_for(static_cast<Index>(layers_.size()), [&](Index i) {
    T* const past = layers_[i].past.data();
    for (Index slot = slot_count_ - 1; slot > 0; --slot)  // last slot first: none is overwritten before it moves
      std::copy_backward(past + slot * slot_size(), past + (slot + 1) * slot_size(),
                         past + (slot * room + room_) * 2 * width_);
  });
  room_ = room;
}

template <class T>
void DecoderCache<T>::append(LayerCache<T>& layer, const Tensor<const T>& qkv) const {
  const Index cols = qkv.shape.cols(), queries = cols - 2 * width_;
  check(qkv.shape == Shape{rows(), cols} && queries >= width_ && cols % width_ == 0, "decoder_cache",
        "expected queries, keys and values [{}, n * {}] with n at least 3; got {}", rows(), width_, qkv.shape);
  check(position_ < capacity_, "decoder_cache", "expected at most {} tokens; got one more", capacity_);
  for (Index r = 0; r < rows(); ++r)
    std::copy_n(qkv.row(r) + queries, 2 * width_, layer.past.data() + (slots_[r] * room_ + position_) * 2 * width_);
}

template <class T>
CacheLayout DecoderCache<T>::layout() {
  past_spans_.clear();
  read_spans_.clear();
  reader_spans_.clear();
  for (Index r = 0; r < rows(); ++r) {
    past_spans_.push_back({slots_[r] * room_, position_ + 1});
    if (r > 0 && memory_spans_[r] == memory_spans_[r - 1]) {
      ++reader_spans_.back().length;
    } else {
      read_spans_.push_back(memory_spans_[r]);
      reader_spans_.push_back({r, 1});
    }
  }
  return {.query = query_layout(),
          .past = {.rows = slot_count_ * room_, .sequences = past_spans_},
          .memory = {.rows = memory_rows_, .sequences = read_spans_},
          .readers = {.rows = rows(), .sequences = reader_spans_}};
}

template <class T>
RowLayout DecoderCache<T>::query_layout() {
  query_spans_.clear();
  for (Index r = 0; r < rows(); ++r) query_spans_.push_back({r, 1});
  return {.rows = rows(), .sequences = query_spans_, .first_position = position_};
}

template class DecoderCache<float>;
template class DecoderCache<double>;

}  // namespace glossa
