#include "config/settings.h"

#include "data/text/shell_word.h"

namespace glossa {

Setting::Setting(std::string set) : set_(std::move(set)) {
  const std::size_t equals = set_->find('=');
  key_ = set_->substr(0, equals);
  if (equals != set_->npos) value_.scalar = set_->substr(equals + 1);
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

}  // namespace glossa
