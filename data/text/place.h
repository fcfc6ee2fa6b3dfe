#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace glossa {

/// True if the name is that of a translation memory: it ends in .tmx, in any letter case and packed or not.
bool is_translation_memory(std::string_view name);

/// The noun for a text's counted items: `unit` in a translation memory, otherwise `line`.
inline std::string_view counted_thing(std::string_view name) { return is_translation_memory(name) ? "unit" : "line"; }

/// Position in a text, for messages: `corpus.en:31`, or `memory.tmx, unit 31`.
std::string place_in(std::string_view name, std::int64_t number);

}  // namespace glossa
