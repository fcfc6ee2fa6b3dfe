#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "config/options.h"

namespace glossa {

/// An option set outside a configuration file: by `--set` on the command line, or by a program.
class Setting {
 public:
  /// Takes `section.key=value`, the text of `--set`. Does not check the form of the text; `value` does.
  Setting(std::string set);
  Setting(const char* set) : Setting(std::string(set)) {}

  Setting(std::string key, GivenValue value) : key_(std::move(key)), value_(std::move(value)) {}

  const std::string& key() const { return key_; }

  /// Throws a misuse error if the text of `--set` does not have the form `section.key=value`.
  const GivenValue& value() const;

  /// Returns the place in errors: `--set section.key=value` or `options`.
  std::string place() const;

  /// Returns, for hints, the form in which a user would set the option `other` to this value instead.
  std::string for_key(const std::string& other) const;

  /// Throws a misuse error about this setting, which names its key.
  template <class... Args>
  [[noreturn]] void refuse(Sentence<Args...> sentence, const Args&... args) const {
    Error::Parts parts = Error::Parts::of(place(), sentence, args...);
    if (!set_) parts.key = key_;
    throw Error(Error::Kind::misuse, std::move(parts));
  }

 private:
  std::optional<std::string> set_;  // text of `--set`, if on the command line
  std::string key_;
  GivenValue value_;
};

/// Settings in order; if several have the same key, the last one applies. Settings come from texts of `--set`, or from
/// keys and values. Errors name `--set ...`, or `options` and the key.
class Settings {
 public:
  Settings() = default;
  Settings(std::initializer_list<Setting> settings) : settings_(settings) {}
  Settings(const std::vector<std::string>& sets) : settings_(sets.begin(), sets.end()) {}
  Settings(const std::map<std::string, GivenValue>& options) {
    for (const auto& [key, value] : options) settings_.emplace_back(key, value);
  }

  auto begin() const { return settings_.begin(); }
  auto end() const { return settings_.end(); }

 private:
  std::vector<Setting> settings_;
};

}  // namespace glossa
