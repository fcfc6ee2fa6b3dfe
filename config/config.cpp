#include "config/config.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/check.h"
#include "config/config_text.h"
#include "config/foreign_names.h"
#include "config/unknown_name.h"

namespace glossa {
namespace {

GivenValue given_value(const YAML::Node& node) {
  using Kind = GivenValue::Kind;
  if (node.IsNull()) return Kind::nothing;
  if (node.IsScalar()) return node.Scalar();
  if (!node.IsSequence()) return Kind::nested;
  std::vector<std::string> list;
  for (const YAML::Node& item : node) {
    if (!item.IsScalar()) return Kind::nested;
    list.push_back(item.Scalar());
  }
  return list;
}

bool is_section(std::string_view name) {
  return std::ranges::any_of(option_sections(), [&](const OptionSection& section) { return section.name == name; });
}

/// Throws the error for a value of `key` that is not `expected`.
[[noreturn]] void bad_value(std::string_view where, const std::string& key, const std::string& expected,
                            std::string_view got, const std::string& hint) {
  throw Error(Error::Kind::misuse, {std::string(where), key, expected, std::string(got), "", hint});
}

/// Throws the error for a section that has a value instead of options.
[[noreturn]] void value_of_section(std::string_view where, const OptionSection& section, const GivenValue& given) {
  std::string hint;
  for (const Option<Config>& option : all_options())
    if (option.name == section.name && option.takes(given)) hint = fmt::format("did you mean {}?", option.key);
  bad_value(where, section.name, fmt::format("a key below it, such as {}", section.options[0].key), given.shown(),
            hint);
}

/// Throws the error for an unknown key.
[[noreturn]] void unknown_key(std::string_view where, const std::string& key, const GivenValue& given) {
  for (const auto& section : option_sections())
    if (key == section.name) value_of_section(where, section, given);
  const bool has_keys = given.kind == GivenValue::Kind::nested || given.kind == GivenValue::Kind::nothing;
  if (const std::size_t dot = key.find('.'); has_keys && dot != key.npos && is_section(key.substr(dot + 1)))
    misuse(where, "expected an option of the section {}; got the section {}. Hint: indent both sections equally",
           key.substr(0, dot), key.substr(dot + 1));
  const std::vector<std::string> meant = keys_meant(key, has_keys);
  Error::Parts parts = unknown_name(where, "key", key, meant, hint_about(key, "docs/options.md lists every key"));
  // A key at the top level of a file may lack its section.
  std::vector<std::string> sections;
  if (key.find('.') == key.npos && !where.starts_with("--set"))
    for (const std::string& k : meant)
      if (const auto dot = k.find('.'); dot != k.npos) sections.push_back(k.substr(0, dot));
  if (!sections.empty()) parts.hint = fmt::format("it belongs in the section {}", fmt::join(sections, " or "));
  throw Error(Error::Kind::misuse, std::move(parts));
}

/// Converts a number with a decimal comma, or with commas between thousands, to the form that the option accepts: `0,5`
/// to `0.5`, `10,000` to `10000`. Empty if the option accepts neither.
std::string without_comma(const Option<Config>& option, const GivenValue& given) {
  std::string point = given.scalar, joined;
  const std::size_t comma = point.find(',');
  if (comma == point.npos) return "";
  point[comma] = '.';
  std::ranges::remove_copy(given.scalar, std::back_inserter(joined), ',');
  constexpr std::size_t thousand_digits = 3;
  const bool has_thousands = comma > 0 && point[0] != '0' && point.size() - comma > thousand_digits;
  if (has_thousands && option.takes(joined)) return joined;
  return option.takes(point) ? point : "";
}

/// True for an option of an earlier version that can be ignored because it never changed a result: data.layout, with
/// padded or packed batches.
bool was_removed(const std::string& key, const GivenValue& given) {
  return key == "data.layout" && (given.scalar == "packed" || given.scalar == "padded");
}

/// Sets `section.key` in the configuration. Throws the errors that YAML and settings have in common.
void set_option(Config& config, std::string_view where, const std::string& key, const GivenValue& given) {
  const auto check_text = [&](const std::string& text) {
    if (const auto fault = find_fault(text)) bad_value(where, key, "text in UTF-8", fault->what, "");
  };
  check_text(given.scalar);
  std::ranges::for_each(given.list, check_text);
  const Option<Config>* const option = find_option(key);
  if (option == nullptr && was_removed(key, given)) return;
  if (option == nullptr) unknown_key(where, key, given);
  if (option->set(config, given)) return;
  const ForeignNames* const foreign = find_foreign(key);
  const std::string number = without_comma(*option, given);
  bad_value(where, key, option->accepts, given.shown(),
            !number.empty()      ? fmt::format("write {}", number)
            : foreign == nullptr ? ""
                                 : fmt::format("did you mean {}?", foreign->meaning));
}

/// Reads one YAML text into the configuration. yaml-cpp only handles syntax. Options parse their values from text: `no`
/// is then a language, not a boolean. Detects repeated keys.
class YamlReader {
 public:
  YamlReader(Config& config, const std::string& where) : config_(config), where_(where) {}

  void read(const std::string& yaml) {
    if (const auto fault = find_fault(yaml))
      misuse(fmt::format("{}:{}", where_, fault->line), "expected text in UTF-8; got {}", fault->what);
    check_config_lines(yaml, where_);
    const auto documents = parse(yaml);
    if (documents.size() > 1) misuse(where(documents[1]), "expected one YAML document; got {}", documents.size());
    if (documents.empty() || documents[0].IsNull()) return;
    if (!documents[0].IsMap())
      misuse(where(documents[0]), "expected sections such as 'data:' and 'model:'; got {}",
             given_value(documents[0]).shown());
    for (const auto& entry : documents[0]) read_section(entry.first, entry.second);
  }

 private:
  std::vector<YAML::Node> parse(const std::string& yaml) const {
    try {
      return YAML::LoadAll(yaml);
    } catch (const YAML::DeepRecursion& error) {
      misuse(fmt::format("{}:{}", where_, error.mark.line + 1),
             "expected sections with options below them; got more than {} levels", error.depth());
    } catch (const YAML::Exception& error) {
      misuse(fmt::format("{}:{}", where_, error.mark.line + 1), "expected YAML; got {}", error.msg);
    }
  }

  /// Reads a section or, at the top level, a single option with a dotted key.
  void read_section(const YAML::Node& key, const YAML::Node& value) {
    const std::string name = new_key("", key);
    if (is_section(name) && value.IsNull()) return;
    if (!is_section(name) || !value.IsMap()) return set_option(config_, where(key), name, given_value(value));
    for (const auto& entry : value)
      set_option(config_, where(entry.first), new_key(name + ".", entry.first), given_value(entry.second));
  }

  /// Returns the key's full name. Throws if the key is not text or is repeated.
  std::string new_key(const std::string& prefix, const YAML::Node& key) {
    if (!key.IsScalar()) misuse(where(key), "expected the name of an option; got {}", given_value(key).shown());
    const std::string name = prefix + key.Scalar();
    const auto [first, is_new] = lines_.emplace(name, key.Mark().line + 1);
    if (!is_new) misuse(where(key), "expected each key once; got '{}' again, first on line {}", name, first->second);
    return name;
  }

  std::string where(const YAML::Node& node) const { return fmt::format("{}:{}", where_, node.Mark().line + 1); }

  Config& config_;
  const std::string& where_;
  std::map<std::string, int> lines_;
};

constexpr std::string_view page_head = R"(# Options

All keys of a configuration file. They also work on the command line, where the last one wins:
`glossa train CONFIG.yaml --set model.width=512 --set train.max_epochs=20`. This page is generated from
`config/option_table.cpp`; `glossa train CONFIG.yaml --dump-config` prints all options with the values in effect.

* Booleans are `true` and `false`; `yes`, `no`, `on` and `off` are refused.
* Numbers have a decimal point in every locale.
* A period has a unit: `500u` updates, `2e` epochs, `10Mt` target tokens; K, M and G multiply by 10^3, 10^6, 10^9.
  Without a unit, a number counts updates (epochs in `train.max_epochs`). `never` is 0: no period or limit.
* Unknown and repeated keys are errors. A value ends in its line, except for lists in brackets. Quote a value that
  begins with `*` or another character that YAML reserves: `freeze: ['*bias']`.
* `auto`, if the range has it, is resolved before training from the size of the corpus and the options given.
  `recipes/small-pair.yaml` has the rules; the log and the run's config.yaml show the resulting values.
  `runtime.gemm: auto` is onednn if glossa was built with it, else eigen.
* `data.normalization`: `nmt_nfkc` and `nmt_nfkc_cf` are sentencepiece's rules, except for invisible characters.
  U+200C and U+200D (joiners) stay, if the training text has them, but U+200C is dropped beside a space. U+200E,
  U+200F and U+FEFF are dropped, U+200B becomes a space, and U+FFFD stays. `nfkc`, `nfkc_cf` and `identity` keep
  all of these. A run keeps the rules that its vocabulary was made with; runs of glossa 0.2 and imported models
  have sentencepiece's own.
* With `--resume` only `train.max_*`, `train.patience`, `train.precision`, `train.*_every`, `train.tensorboard`,
  `train.exportable`, `data.prepare_above`, `data.cache` and `runtime.*` may change; options that are not given keep
  the run's values.
)";

std::string markdown_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("|*<", at)) != text.npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

}  // namespace

bool may_change_on_resume(std::string_view key) {
  return key.starts_with("runtime.") || key == "data.prepare_above" || key == "data.cache" ||
         key.starts_with("train.max_") || key == "train.patience" || key == "train.precision" ||
         key == "train.tensorboard" || key == "train.exportable" ||
         (key.starts_with("train.") && key.ends_with("_every"));
}

Config parse_config(const std::string& yaml, const std::string& where) {
  Config config;
  YamlReader(config, where).read(yaml);
  return config;
}

Config config_from(const Settings& settings, Config defaults) {
  Config config = std::move(defaults);
  for (const Setting& setting : settings) set_option(config, setting.place(), setting.key(), setting.value());
  return config;
}

Config load_config(const std::string& path, const Settings& settings, Config defaults) {
  Config config = std::move(defaults);
  if (!path.empty()) YamlReader(config, path).read(read_config_text(path));
  return config_from(settings, std::move(config));
}

std::vector<OptionDifference> differences(const Config& before, const Config& after) {
  std::vector<OptionDifference> found;
  for (const Option<Config>& option : all_options())
    if (std::string old = option.text(before), now = option.text(after); old != now)
      found.push_back({option.key, std::move(old), std::move(now)});
  return found;
}

void check_agree(const Config& old, const Config& now, const std::function<bool(std::string_view key)>& matters,
                 std::string_view source, std::string_view hint) {
  for (const auto& [key, before, after] : differences(old, now))
    if (matters(key)) misuse(key, "expected {}, {}; got {}. Hint: {}", before, source, after, hint);
}

Config decided_as(const Config& old, Config now, std::string_view section) {
  for (const Option<Config>& option : all_options())
    if (option.key.starts_with(section) && !option.key.starts_with("runtime.") && option.text(now) == "auto")
      option.set(now, option.text(old));
  return now;
}

void check_resume(const Config& old, const Config& now) {
  if (old.data.train.empty() && old.data.tokenizer == DataConfig::Tokenizer::pieces)
    misuse("data.train",
           "expected a trained run; got an imported pretrained model. Hint: start a new run with this one as "
           "train.warm_start");
  check_agree(
      old, now, [](std::string_view key) { return !may_change_on_resume(key); }, "as when the run was started",
      "on --resume only train.max_*, train.patience, train.precision, train.*_every, train.tensorboard, "
      "train.exportable, data.prepare_above, data.cache and runtime.* may change; start a new run for the rest. Edit "
      "decode.* in the run's config.yaml for translation");
}

std::string dump(const Config& config) {
  std::string yaml =
      "# Every option with its value. Periods: u updates, e epochs, t target tokens; K, M, G multiply.\n";
  for (const auto& section : option_sections()) {
    yaml += fmt::format("\n{}:  # {}\n", section.name, section.help);
    for (const auto& option : section.options)
      yaml +=
          fmt::format("  {:<32}  # {} ({})\n", option.name + ": " + option.text(config), option.help, option.accepts);
  }
  return yaml;
}

std::string options_page() {
  std::string page(page_head);
  for (const auto& section : option_sections()) {
    page +=
        fmt::format("\n## {}: {}\n\n| key | default | range | help |\n|---|---|---|---|\n", section.name, section.help);
    for (const auto& option : section.options)
      page += fmt::format("| `{}` | `{}` | {} | {} |\n", option.key, option.text(Config{}),
                          markdown_cell(option.accepts), markdown_cell(option.help));
  }
  return page;
}

}  // namespace glossa
