#include "app/exchange/json_settings.h"

#include "base/check.h"
#include "data/text/text_file.h"

namespace glossa {

namespace {

using Json = nlohmann::json;

constexpr std::size_t max_settings = 256 << 10;
constexpr int max_depth = 16;

}  // namespace

JsonSettings::JsonSettings(const std::filesystem::path& path) : where_(path) {
  const std::string text = read_file(path, max_settings);
  // The parser would treat a zero byte as the end.
  check(text.find('\0') == text.npos, where_, "expected settings in JSON; got a zero byte in them");
  try {
    json_ = Json::parse(text, [&](int depth, Json::parse_event_t, Json&) {
      check(depth <= max_depth, where_, "expected settings nested at most {} deep; got deeper ones", max_depth);
      return true;
    });
  } catch (const Json::exception& reason) {
    fail(where_, "expected settings in JSON; got {}", std::string(reason.what()).substr(0, 200));
  }
  check(json_.is_object(), where_, "expected a JSON object; got something else");
}

bool JsonSettings::has(const std::string& key) const { return json_.contains(key) && !json_[key].is_null(); }

const Json& JsonSettings::value(const std::string& key) const {
  static const Json null;
  return json_.contains(key) ? json_[key] : null;
}

std::string JsonSettings::shown(const std::string& key) const {
  return value(key).dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 100);
}

template <class T>
T JsonSettings::get(const std::string& key, const std::optional<T>& otherwise, bool fits, const char* what) const {
  if (!has(key) && otherwise) return *otherwise;
  if (!fits) fail(where_, "expected {} to be {}; got {}", key, what, has(key) ? shown(key) : "nothing");
  return json_[key].get<T>();
}

std::int64_t JsonSettings::whole(const std::string& key, std::optional<std::int64_t> otherwise) const {
  // The conversion would change a number of more than 63 bits.
  const Json& v = value(key);
  const bool fits = v.is_number_integer() && (!v.is_number_unsigned() || v.get<std::uint64_t>() < (1ULL << 53));
  return get(key, otherwise, fits, "a whole number");
}

double JsonSettings::number(const std::string& key, std::optional<double> otherwise) const {
  return get(key, otherwise, value(key).is_number(), "a number");
}

bool JsonSettings::flag(const std::string& key, std::optional<bool> otherwise) const {
  return get(key, otherwise, value(key).is_boolean(), "true or false");
}

std::string JsonSettings::text(const std::string& key, std::optional<std::string> otherwise) const {
  return get(key, otherwise, value(key).is_string(), "a string");
}

}  // namespace glossa
