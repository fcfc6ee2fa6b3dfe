#pragma once

#include <span>

#include "train/decoding/attention_maps.h"
#include "train/tensorboard/picture.h"

namespace glossa {

/// One kind of attention, for example &AttentionMaps::cross, of some sentences: sentence below sentence, each with a
/// row of tiles a layer and a column a head, of which the first 12 and 16 are shown. In a tile a row of cells is a
/// query, a column a key. There must be a sentence.
Picture attention_picture(std::span<const AttentionMaps> sentences, AttentionMaps::Layers AttentionMaps::*part);

}  // namespace glossa
