#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// A JSON object on one line, its keys in the order in which they were added. NaN and infinity become null, bytes that
/// are not UTF-8 U+FFFD.
class JsonLine {
 public:
  JsonLine& add(std::string_view key, double value);
  JsonLine& add(std::string_view key, bool value);
  JsonLine& add(std::string_view key, std::string_view value);
  JsonLine& add(std::string_view key, const char* value) { return add(key, std::string_view(value)); }
  JsonLine& add(std::string_view key, std::span<const std::uint64_t> values);
  JsonLine& add(std::string_view key, const std::vector<JsonLine>& objects);
  JsonLine& add(std::string_view key, std::span<const std::string> values);
  JsonLine& add(std::string_view key, const JsonLine& object);

  /// Numbers of a curve, with nine digits each.
  JsonLine& add_numbers(std::string_view key, std::span<const double> values);

  /// A value that is JSON already.
  JsonLine& add_json(std::string_view key, std::string_view json);

  template <std::integral Whole>
  JsonLine& add(std::string_view key, Whole value) {
    return add_json(key, std::to_string(value));
  }

  std::string text() const;

 private:
  std::string body_;
};

/// The whole number under `key` of a line that is a JSON object; nothing if it is not, or has none.
std::optional<std::int64_t> whole_in_json(std::string_view line, std::string_view key);

/// Those members of a line that is a JSON object whose values are numbers, booleans (as 0 and 1) or null (as NaN);
/// nothing if it is none.
std::optional<std::map<std::string, double>> numbers_in_json(std::string_view line);

}  // namespace glossa
