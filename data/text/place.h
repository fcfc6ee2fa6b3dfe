#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace glossa {

/// True if a corpus name ends in .tmx, in any letter case; it may be packed: the name of a translation memory.
bool is_translation_memory(std::string_view name);

/// Name of the things counted in a text: `unit` in a translation memory, else `line`.
inline std::string_view counted_thing(std::string_view name) { return is_translation_memory(name) ? "unit" : "line"; }

/// Position in a text, for messages: `corpus.en:31`, or `memory.tmx, unit 31`.
std::string place_in(std::string_view name, std::int64_t number);

}  // namespace glossa
