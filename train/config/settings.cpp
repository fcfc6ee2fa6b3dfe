#include "train/config/settings.h"

#include "data/text/shell_word.h"

namespace glossa {

Setting::Setting(std::string set) : set_(std::move(set)) {
  const std::size_t equals = set_->find('=');
  key_ = set_->substr(0, equals);
  if (equals != set_->npos) value_.scalar = set_->substr(equals + 1);
}

Setting::Setting(std::string key, const OptionValue& value) : key_(std::move(key)) {
  if (const auto* const list = std::get_if<std::vector<std::string>>(&value.value))
    value_ = {GivenValue::Kind::list, "", *list};
  else
    value_.scalar = std::get<std::string>(value.value);
}

const GivenValue& Setting::value() const {
  if (!set_) return value_;
  if (key_.size() == set_->size()) refuse("expected section.key=value; got '{}'", *set_);
  if (!key_.empty() && (key_.ends_with(' ') || value_.scalar.starts_with(' ')))
    refuse("expected section.key=value without spaces around =; got '{}'", *set_);
  return value_;
}

std::string Setting::place() const { return set_ ? "--set " + *set_ : "options"; }

std::string Setting::for_key(const std::string& other) const {
  return set_ ? shell_command({"--set", other + set_->substr(key_.size())}) : other;
}

Settings::Settings(const std::map<std::string, OptionValue>& options) {
  for (const auto& [key, value] : options) settings_.emplace_back(key, value);
}

}  // namespace glossa
