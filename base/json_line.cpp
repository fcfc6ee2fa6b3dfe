#include "base/json_line.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>  // only in this file, because it compiles slowly

namespace glossa {

namespace {

/// Formats text as a JSON string. Bytes that are not UTF-8, for example in a file name, become U+FFFD.
std::string in_quotes(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Formats a list of values as JSON.
std::string json_list(const auto& values, const auto& to_json) {
  std::vector<std::string> texts;
  for (const auto& value : values) texts.push_back(to_json(value));
  return fmt::format("[{}]", fmt::join(texts, ","));
}

/// Parses a line. If it is not JSON, returns a value of type `discarded`. The same applies to a line with a zero byte,
/// which the parser would treat as the end.
nlohmann::json parsed(std::string_view line) {
  if (line.find('\0') != line.npos) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(line, nullptr, false);
}

}  // namespace

JsonLine& JsonLine::add_json(std::string_view key, std::string_view json) {
  if (!body_.empty()) body_ += ",";
  body_ += nlohmann::json(key).dump();
  body_ += ":";
  body_ += json;
  return *this;
}

JsonLine& JsonLine::add(std::string_view key, double value) { return add_json(key, nlohmann::json(value).dump()); }

JsonLine& JsonLine::add(std::string_view key, bool value) { return add_json(key, value ? "true" : "false"); }

JsonLine& JsonLine::add(std::string_view key, std::string_view value) { return add_json(key, in_quotes(value)); }

JsonLine& JsonLine::add(std::string_view key, std::span<const std::string> values) {
  return add_json(key, json_list(values, in_quotes));
}

JsonLine& JsonLine::add(std::string_view key, std::span<const std::uint64_t> values) {
  return add_json(key, fmt::format("[{}]", fmt::join(values, ",")));
}

JsonLine& JsonLine::add(std::string_view key, const std::vector<JsonLine>& objects) {
  return add_json(key, json_list(objects, [](const JsonLine& object) { return object.text(); }));
}

JsonLine& JsonLine::add(std::string_view key, const JsonLine& object) { return add_json(key, object.text()); }

JsonLine& JsonLine::add_numbers(std::string_view key, std::span<const double> values) {
  return add_json(key, json_list(values, [](double value) {
                    return std::isfinite(value) ? fmt::format("{:.9g}", value) : "null";
                  }));
}

std::string JsonLine::text() const { return fmt::format("{{{}}}", body_); }

std::optional<std::string> text_in_json(std::string_view line, std::string_view key) {
  const nlohmann::json object = parsed(line);
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<std::map<std::string, double>> numbers_in_json(std::string_view line) {
  const nlohmann::json object = parsed(line);
  if (!object.is_object()) return std::nullopt;
  std::map<std::string, double> numbers;
  for (const auto& [key, value] : object.items()) {
    if (value.is_number()) numbers[key] = value.get<double>();
    if (value.is_boolean()) numbers[key] = value.get<bool>() ? 1 : 0;
    if (value.is_null()) numbers[key] = std::numeric_limits<double>::quiet_NaN();
  }
  return numbers;
}

bool is_whole(double number) { return std::abs(number) <= 0x1p53 && std::trunc(number) == number; }

}  // namespace glossa
