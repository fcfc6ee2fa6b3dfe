#pragma once

#include <span>

#include "train/decoding/attention_maps.h"
#include "train/tensorboard/image.h"

namespace glossa {

/// Draws one kind of attention, say &AttentionMaps::cross, of some sentences below each other. Each has a row of tiles
/// per layer and a column per head; the first 12 and 16 are shown. In a tile a row of cells is a query, a column a key.
/// Needs a sentence.
Image attention_image(std::span<const AttentionMaps> sentences, AttentionMaps::Layers AttentionMaps::*part);

}  // namespace glossa
