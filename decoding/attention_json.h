#pragma once

#include <string>

#include "base/json_line.h"
#include "decoding/attention_maps.h"

namespace glossa {

/// Adds all members of `maps`, but `probabilities` only if computed. The members encoder, decoder and cross become
/// lists [layer][head][query][key]. Numbers have enough digits to be read back exactly.
JsonLine& add_to(JsonLine& json, const AttentionMaps& maps);

/// Formats the maps as a JSON object on one line.
std::string to_json(const AttentionMaps& maps);

}  // namespace glossa
