#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace glossa {

/// A small JSON file of settings. A null key counts as absent. Errors name the file and the key.
class JsonSettings {
 public:
  /// Empty settings.
  JsonSettings() = default;

  /// Throws unless the file is a JSON object of at most 256 KiB, nested at most 16 deep.
  explicit JsonSettings(const std::filesystem::path& path);

  const std::string& where() const { return where_; }
  bool has(const std::string& key) const;

  /// The value of `key`, or `otherwise` if the key is absent. Throws if the value has another type, or if the key is
  /// absent and `otherwise` is empty.
  std::int64_t whole(const std::string& key, std::optional<std::int64_t> otherwise = {}) const;
  double number(const std::string& key, std::optional<double> otherwise = {}) const;
  bool flag(const std::string& key, std::optional<bool> otherwise = {}) const;
  std::string text(const std::string& key, std::optional<std::string> otherwise = {}) const;

  /// The value of `key` without conversion; null if the key is absent.
  const nlohmann::json& value(const std::string& key) const;

  /// The value of `key` as shortened text, for an error.
  std::string shown(const std::string& key) const;

 private:
  template <class T>
  T get(const std::string& key, const std::optional<T>& otherwise, bool fits, const char* what) const;

  std::string where_;
  nlohmann::json json_ = nlohmann::json::object();
};

}  // namespace glossa
