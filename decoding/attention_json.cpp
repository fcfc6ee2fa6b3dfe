#include "decoding/attention_json.h"

#include <fmt/ranges.h>

namespace glossa {

namespace {

std::string to_json(const AttentionMaps::Layers& layers) { return fmt::format("[{}]", fmt::join(layers, ",")); }

}  // namespace

JsonLine& add_to(JsonLine& json, const AttentionMaps& maps) {
  json.add("source", maps.source).add("target", maps.target).add("output", maps.output);
  json.add_json("encoder", to_json(maps.encoder)).add_json("decoder", to_json(maps.decoder));
  json.add_json("cross", to_json(maps.cross));
  if (maps.probabilities.empty()) return json;
  return json.add_json("probabilities", fmt::format("[{}]", fmt::join(maps.probabilities, ",")));
}

std::string to_json(const AttentionMaps& maps) {
  JsonLine json;
  return add_to(json, maps).text();
}

}  // namespace glossa
