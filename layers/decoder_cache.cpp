#include "layers/decoder_cache.h"

#include <algorithm>

#include "autograd/check.h"
#include "autograd/parallel.h"

namespace glossa {

namespace {
constexpr Index first_room = 32;  // tokens
}

template <class T>
void DecoderCache<T>::start(Index layers, Index width, Index rows, Index capacity, const RowLayout& memory) {
  check(memory.sequence_count() >= 1 && rows % memory.sequence_count() == 0, "decoder_cache",
        "expected as many rows for each of the {} sequences; got {} rows", memory.sequence_count(), rows);
  width_ = width;
  capacity_ = capacity;
  room_ = std::min(capacity, first_room);
  position_ = 0;
  most_rows_ = rows;
  memory_rows_ = memory.rows;
  layers_.resize(static_cast<std::size_t>(layers));
  for (LayerCache<T>& layer : layers_) {
    layer.past.resize(static_cast<std::size_t>(rows * room_ * 2 * width));
    layer.other.resize(layer.past.size());
    layer.memory.resize(static_cast<std::size_t>(memory.rows * 2 * width));
  }
  memory_spans_.clear();
  for (Index r = 0; r < rows; ++r) memory_spans_.push_back(memory.sequences[r * memory.sequence_count() / rows]);
}

template <class T>
void DecoderCache<T>::start(Index layers, Index width, Index rows, Index capacity) {
  const RowSpan nothing{};
  start(layers, width, rows, capacity, {.rows = 0, .sequences = {&nothing, 1}});
}

template <class T>
LayerCache<T>& DecoderCache<T>::layer(Index i) {
  check(i >= 0 && i < std::ssize(layers_), "decoder_cache",
        "expected a cache that was started for this stack; got layer {} of {}", i, layers_.size());
  return layers_[static_cast<std::size_t>(i)];
}

template <class T>
void DecoderCache<T>::select(std::span<const Index> survivors) {
  const Index size = static_cast<Index>(survivors.size()), row_size = room_ * 2 * width_;
  bool in_place = true, same = size == rows();
  for (Index r = 0; r < size; ++r) {
    const Index from = survivors[r];
    check(from >= 0 && from < rows(), "decoder_cache", "expected rows below {}; got {}", rows(), from);
    // Going up, row `from` is still what it was if its turn is yet to come or if it keeps what it has.
    in_place = in_place && (from >= r || survivors[from] == from);
    same = same && from == r;
  }
  if (same) return;
  check(size <= most_rows_, "decoder_cache", "expected at most {} rows; got {}", most_rows_, size);
  parallel_for(static_cast<Index>(layers_.size()), [&](Index i) {
    std::vector<T>&past = layers_[i].past, &to = in_place ? past : layers_[i].other;
    for (Index r = 0; r < size; ++r)
      if (!in_place || survivors[r] != r)
        std::copy_n(past.data() + survivors[r] * row_size, position_ * 2 * width_, to.data() + r * row_size);
    if (!in_place) past.swap(layers_[i].other);
  });
  old_spans_ = memory_spans_;
  memory_spans_.resize(static_cast<std::size_t>(size));
  for (Index r = 0; r < size; ++r) memory_spans_[r] = old_spans_[survivors[r]];
}

template <class T>
void DecoderCache<T>::advance() {
  ++position_;
  if (position_ == room_ && room_ < capacity_) grow(std::min(capacity_, 2 * room_));
}

/// Rows get room for as many tokens; those that are there keep what they have.
template <class T>
void DecoderCache<T>::grow(Index room) {
  parallel_for(static_cast<Index>(layers_.size()), [&](Index i) {
    auto& [past, other, memory] = layers_[i];
    other.resize(static_cast<std::size_t>(most_rows_ * room * 2 * width_));
    for (Index r = 0; r < rows(); ++r)
      std::copy_n(past.data() + r * room_ * 2 * width_, position_ * 2 * width_, other.data() + r * room * 2 * width_);
    past.swap(other);
    other.resize(past.size());
  });
  room_ = room;
}

template <class T>
void DecoderCache<T>::append(LayerCache<T>& layer, const Tensor<const T>& qkv) const {
  check(qkv.shape == Shape{rows(), 3 * width_}, "decoder_cache", "expected queries, keys and values [{}, {}]; got {}",
        rows(), 3 * width_, qkv.shape);
  check(position_ < capacity_, "decoder_cache", "expected at most {} tokens; got one more", capacity_);
  for (Index r = 0; r < rows(); ++r)
    std::copy_n(qkv.row(r) + width_, 2 * width_, layer.past.data() + (r * room_ + position_) * 2 * width_);
}

template <class T>
CacheLayout DecoderCache<T>::layout() {
  past_spans_.clear();
  read_spans_.clear();
  reader_spans_.clear();
  for (Index r = 0; r < rows(); ++r) {
    past_spans_.push_back({r * room_, position_ + 1});
    if (r > 0 && memory_spans_[r] == memory_spans_[r - 1]) {
      ++reader_spans_.back().length;
    } else {
      read_spans_.push_back(memory_spans_[r]);
      reader_spans_.push_back({r, 1});
    }
  }
  return {.query = query_layout(),
          .past = {.rows = rows() * room_, .sequences = past_spans_},
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
