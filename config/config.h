#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/precision.h"
#include "config/options.h"
#include "config/settings.h"
#include "data/corpora/data_config.h"
#include "decoding/decode_options.h"
#include "decoding/scores/bleu_tokenizer.h"
#include "layers/transformer.h"
#include "optim/adam.h"
#include "optim/lr_schedule.h"
#include "optim/sgd.h"

namespace glossa {

// The initializers in the structs are the defaults. option_table.cpp describes each member and its accepted values. The
// lists of names there are in the order of the enumerators.

struct ModelConfig {
  enum class Positions { sinusoidal, learned, rotary, alibi };
  enum class Init { xavier, normal };

  /// transformer_options sets the vocabularies and the values that other members determine: positions, dropout rates
  /// and initial weights.
  TransformerOptions transformer{
      .stack = {.width = 256, .heads = 4, .feed_forward = 1024, .norm = NormPlace::pre},
      .encoder_layers = 3,
      .decoder_layers = 3,
      .tied = Tied::all,
      .output_bias = false,
  };
  std::optional<double> attention_dropout{}, activation_dropout{}, embedding_dropout{};  ///< unset: residual_dropout
  Positions positions = Positions::sinusoidal;
  Init init = Init::xavier;
  double init_std = 0.01;
};

struct OptimConfig {
  enum class Name { sgd, adam, adamw };

  Name name = Name::adam;
  AdamOptions adam{.beta1 = 0.9, .beta2 = 0.98, .epsilon = 1e-9};  ///< make_optimizer sets `decoupled`
  SgdOptions sgd{.momentum = 0.9};
  double weight_decay = 0;
  bool decay_norm_and_bias = false;
  std::vector<std::string> freeze{};
  double clip_norm = 1.0;
  ScheduleOptions schedule{.kind = ScheduleOptions::Kind::inverse_sqrt};  ///< make_schedule sets its updates and width
  Period warmup{4000, Period::Unit::updates};
  Period total_updates{0, Period::Unit::updates};
};

/// Names of Precision's enumerators, in their order. The second list omits int8, which cannot train.
inline constexpr std::initializer_list<const char*> precision_names{"float", "bf16", "int8"};
inline constexpr std::initializer_list<const char*> training_precision_names{"float", "bf16"};
static_assert(precision_names.size() == enumerator_count<Precision>());
constexpr const char* name_of(Precision precision) { return precision_names.begin()[static_cast<int>(precision)]; }

/// Names of TrainConfig::Mistake's enumerators, in their order.
inline constexpr std::initializer_list<const char*> mistake_names{"same-languages", "wrong-direction", "swapped-sides",
                                                                  "same-text",      "valid-is-train",  "few-pairs"};

struct TrainConfig {
  enum class Metric { loss, perplexity, bleu, chrf, exact_match };
  static constexpr std::initializer_list<const char*> metric_names = {"loss", "perplexity", "bleu", "chrf",
                                                                      "exact_match"};
  enum class Exportable { none, marian, huggingface };
  /// Reasons to refuse a new run (train/start_check.cpp).
  enum class Mistake { same_languages, wrong_direction, swapped_sides, same_text, valid_is_train, few_pairs };

  Period max_updates{0, Period::Unit::updates}, max_epochs{0, Period::Unit::epochs};
  double max_minutes = 0;
  Period validate_every{1, Period::Unit::epochs}, save_every{1, Period::Unit::epochs};
  Period log_every{50, Period::Unit::updates};
  std::int64_t keep_checkpoints = 3;
  std::int64_t seed = 1;
  double label_smoothing = 0.1;
  double r_drop = 0;
  double word_dropout = 0;
  std::int64_t accumulate = 1;
  Precision precision = Precision::full;
  double ema = 0;
  Metric metric = Metric::loss;
  std::int64_t patience = 0;
  bool decode_validation = true;
  std::optional<BleuTokenizer> bleu_tokenize{};
  std::int64_t samples = 4;
  bool tensorboard = false;
  std::string warm_start;
  Exportable exportable = Exportable::none;
  std::vector<Mistake> allow{};
  std::int64_t max_bad_updates = 10;

  /// Returns how many times an update computes each of its sentences.
  int passes() const { return r_drop > 0 ? 2 : 1; }
};

struct RuntimeConfig {
  enum class Gemm { automatic, eigen, onednn };

  std::int64_t threads = 0;
  Gemm gemm = Gemm::automatic;
  double timeout = 300;
};

/// All options.
struct Config {
  DataConfig data;
  ModelConfig model;
  OptimConfig optim;
  TrainConfig train;
  DecodeOptions decode;
  RuntimeConfig runtime;

  /// Keys given as `auto`. Their members have no meaning until decide_auto_options sets them.
  std::set<std::string> undecided{};
};

/// The options of one member struct of Config.
struct OptionSection {
  std::string name, help;
  std::vector<Option<Config>> options;
};

/// Returns every option, in order: the single table used to read, check, dump and document options.
const std::vector<OptionSection>& option_sections();

/// Returns the options of all sections, in order.
inline auto all_options() {
  return option_sections() | std::views::transform(&OptionSection::options) | std::views::join;
}

/// Returns the option of a key such as `model.width`, or null.
const Option<Config>* find_option(std::string_view key);

/// Parses YAML text; `where` names the text in errors. Throws a misuse error at `where:line` for an unknown or repeated
/// key or an unacceptable value.
Config parse_config(const std::string& yaml, const std::string& where);

/// Returns `defaults` with the settings applied in order, such as `{{"model.width", 64}}`. For an unknown key or an
/// unacceptable value, throws a misuse error that names the setting's place.
Config config_from(const Settings& settings, Config defaults = {});

/// Reads a YAML file, unless `path` is empty, then applies `settings`. All other options come from `defaults`. Throws
/// as parse_config and config_from do, and a failure if the file cannot be read.
Config load_config(const std::string& path, const Settings& settings = {}, Config defaults = {});

/// Checks relations between options. Throws a misuse error that names the keys if options contradict each other.
void validate(const Config& config);

/// Checks relations between the options of decoding. Throws as `validate` does.
void check_decode(const DecodeOptions& decode);

/// Returns warnings about allowed but doubtful values.
std::vector<std::string> option_doubts(const Config& config);

/// Returns the warnings that depend on the length of an epoch. Currently there is only one, for training that ends
/// before the warm-up does.
std::vector<std::string> length_doubts(const Config& config, std::int64_t updates_per_epoch);

/// Returns the warnings that also depend on the speed; none if length_doubts returns warnings. `updates` is the
/// estimated number of updates that train.max_minutes allows.
std::vector<std::string> time_doubts(const Config& config, std::int64_t updates_per_epoch, double updates);

/// Returns `now`, but with the values in `old` for options that are still `auto`. This applies to the options of
/// `section` (empty: of every section), and never to `runtime`.
Config decided_as(const Config& old, Config now, std::string_view section = {});

/// Throws a misuse error unless a run started with `old` may resume with `now`. Only options for which
/// may_change_on_resume is true may differ. For any other difference, the error names the key and both values. An
/// imported pretrained model cannot be resumed at all.
void check_resume(const Config& old, const Config& now);

/// True if an option may change when a run resumes: the format of the saved training state does not depend on it.
bool may_change_on_resume(std::string_view key);

/// An option with its values in two configurations.
struct OptionDifference {
  std::string key, before, after;
};

/// Returns the options whose values differ, in table order.
std::vector<OptionDifference> differences(const Config& before, const Config& after);

/// Compares the options for which `matters` returns true. If values differ, throws a misuse error that names the first
/// such key: "expected OLD, `source`; got NOW. Hint: `hint`".
void check_agree(const Config& old, const Config& now, const std::function<bool(std::string_view key)>& matters,
                 std::string_view source, std::string_view hint);

/// Returns the configuration as commented YAML, with every option in table order. load_config reads back an equal
/// configuration.
std::string dump(const Config& config);

/// Returns the option reference page, in Markdown.
std::string options_page();

}  // namespace glossa
