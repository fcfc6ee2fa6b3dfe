#include "train/tensorboard/attention_image.h"

#include <algorithm>

namespace glossa {

namespace {

constexpr std::int64_t max_layers = 12, max_heads = 16;
constexpr std::int64_t gap = 2, usual_width = 1024, largest_cell = 10;  // pixels

/// Layout of a sentence's tiles.
struct Tiles {
  explicit Tiles(const AttentionMaps::Layers& layers)
      : rows(std::min<std::int64_t>(max_layers, std::ssize(layers))),
        columns(std::min<std::int64_t>(max_heads, std::ssize(layers.front()))),
        queries(std::ssize(layers.front().front())),
        keys(std::ssize(layers.front().front().front())) {}

  std::int64_t width(std::int64_t cell) const { return columns * (keys * cell + gap) + gap; }
  std::int64_t height(std::int64_t cell) const { return rows * (queries * cell + gap) + gap; }

  std::int64_t rows, columns, queries, keys;
};

}  // namespace

Image attention_image(std::span<const AttentionMaps> sentences, AttentionMaps::Layers AttentionMaps::*part) {
  std::vector<Tiles> tiles;
  std::int64_t max_cells = 1;
  for (const AttentionMaps& maps : sentences) {
    tiles.emplace_back(maps.*part);
    max_cells = std::max(max_cells, tiles.back().columns * tiles.back().keys);
  }
  const std::int64_t cell = std::clamp<std::int64_t>(usual_width / max_cells, 1, largest_cell);
  std::int64_t width = 0, height = 0;
  for (const Tiles& of_sentence : tiles) {
    width = std::max(width, of_sentence.width(cell));
    height += of_sentence.height(cell);
  }
  Image image(width, height);
  std::int64_t top = gap;
  for (std::size_t i = 0; i < sentences.size(); top += tiles[i].height(cell), ++i)
    for (std::int64_t layer = 0; layer < tiles[i].rows; ++layer)
      for (std::int64_t head = 0; head < tiles[i].columns; ++head) {
        const AttentionMaps::Head& weights =
            (sentences[i].*part)[static_cast<std::size_t>(layer)][static_cast<std::size_t>(head)];
        const std::int64_t y = top + layer * (tiles[i].queries * cell + gap),
                           x = gap + head * (tiles[i].keys * cell + gap);
        for (std::int64_t q = 0; q < tiles[i].queries; ++q)
          for (std::int64_t k = 0; k < tiles[i].keys; ++k)
            image.fill(x + k * cell, y + q * cell, cell,
                       weights[static_cast<std::size_t>(q)][static_cast<std::size_t>(k)]);
      }
  return image;
}

}  // namespace glossa
