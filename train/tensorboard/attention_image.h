#pragma once

#include <span>

#include "train/decoding/attention_maps.h"
#include "train/tensorboard/image.h"

namespace glossa {

/// Draws one kind of attention, `part`, such as &AttentionMaps::cross. The sentences are drawn one below the other.
/// Each is a grid of tiles, with a row per layer and a column per head, up to 12 layers and 16 heads. In a tile, rows
/// of cells are queries and columns are keys. Needs at least one sentence.
Image attention_image(std::span<const AttentionMaps> sentences, AttentionMaps::Layers AttentionMaps::*part);

}  // namespace glossa
