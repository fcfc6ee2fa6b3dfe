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

/// A JSON object on one line, with keys in insertion order. NaN and infinity become null; bytes that are not UTF-8
/// become U+FFFD.
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

  /// Adds a list of numbers with nine significant digits each.
  JsonLine& add_numbers(std::string_view key, std::span<const double> values);

  /// Adds a value that is already JSON.
  JsonLine& add_json(std::string_view key, std::string_view json);

  template <std::integral Whole>
  JsonLine& add(std::string_view key, Whole value) {
    return add_json(key, std::to_string(value));
  }

  std::string text() const;

 private:
  std::string body_;
};

/// Returns the text under `key` in the JSON object `line`. Returns an empty value if `line` is not an object or lacks
/// the text.
std::optional<std::string> text_in_json(std::string_view line, std::string_view key);

/// Returns the members of the JSON object `line` that are numbers, booleans (as 0 and 1) or null (as NaN). Returns an
/// empty value if `line` is not an object.
std::optional<std::map<std::string, double>> numbers_in_json(std::string_view line);

/// True for whole numbers that a double and an int64 both hold exactly. False for NaN.
bool is_whole(double number);

}  // namespace glossa
