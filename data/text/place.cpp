#include "data/text/place.h"

#include <fmt/core.h>

#include "data/text/unpacker.h"
#include "data/text/utf8.h"

namespace glossa {

bool is_translation_memory(std::string_view name) {
  const std::string small = utf8::lower_case(name);
  return unpacked_name(small).ends_with(".tmx");
}

std::string place_in(std::string_view name, std::int64_t number) {
  return is_translation_memory(name) ? fmt::format("{}, unit {}", name, number) : fmt::format("{}:{}", name, number);
}

}  // namespace glossa
