// Every option has exactly its intended effects. Tries another value of each, and compares all results of a
// configuration, from the corpus text to the files of a run, with their earlier state.
#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <map>
#include <regex>
#include <set>

#include "tests/support/sanitized.h"
#include "tests/train/observations.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// An option, another value of it, its direct effects, and further settings that both runs add to the base. Also a part
/// of the error that ends one of the runs, if any, and a reason if nothing changes.
struct Row {
  const char* key;
  const char* value;
  Strings changes;
  Strings given = {};
  const char* error = nullptr;
  const char* reason = nullptr;
};

Strings operator+(Strings list, const Strings& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

const std::vector<Row>& rows() {
  static const Strings both_texts{"training text", "validation text"};
  static const Strings both_pairs{"training pairs", "validation pairs"};
  static const Strings long_lines{"data.max_length=90", "model.max_positions=90", "data.max_tokens=300"};
  static const Strings characters = long_lines + Strings{"data.tokenizer=characters"};
  static const Strings subwords = long_lines + Strings{"data.tokenizer=sentencepiece", "data.vocab_size=70"};
  const std::string all_allowed = "train.allow=[same-text, valid-is-train, few-pairs]";
  static const Strings both_moments{"first moments", "second moments"};
  static const Strings no_dropout{"model.dropout=0"};
  static const Strings sgd{"optim.name=sgd"}, adamw{"optim.name=adamw", "optim.weight_decay=0.5"};
  // Learns enough to translate some of its training data.
  static const Strings able{"data.train=FOLDER/valid", "train.allow=[valid-is-train, few-pairs]", "model.dropout=0",
                            "train.max_updates=60", "train.validate_every=20u"};
  static const Strings at_rest{"optim.lr=1e-30", "train.validate_every=1u"};
  static const Strings bursting{"optim.name=adamw",        "optim.lr=1000",     "optim.weight_decay=100",
                                "optim.schedule=constant", "optim.warmup=0",    "train.max_updates=60",
                                "train.validate_every=0",  "train.save_every=0"};
  static const bool has_onednn = kernels::has_gemm_backend(kernels::GemmBackend::onednn);
  static const std::vector<Row> all{
      {"data.train", "FOLDER/other", {"training text"}},
      {"data.train", "[FOLDER/corpus, FOLDER/other]", {"training text"}},
      {"data.weights", "2", {"batches"}},
      {"data.weights", "[1, 2]", {"batches"}, {"data.train=[FOLDER/corpus, FOLDER/other]"}},
      {"data.valid", "FOLDER/lower", {"validation text"}},
      {"data.valid", "[FOLDER/valid, FOLDER/lower]", {"validation lines"}},
      {"data.valid", "", {"validation text"}},
      {"data.test", "FOLDER/lower", {"test text"}},
      {"data.split", "4/3", both_texts + Strings{"test text"}, {"data.valid="}},
      {"data.source", "de", both_texts},
      {"data.target", "de", both_texts},
      {"data.source_column", "1", {"training text"}, {"data.train=FOLDER/pairs.tsv", "data.target_column=2"}},
      {"data.target_column", "1", {"training text"}, {"data.train=FOLDER/pairs.tsv", "data.target_column=2"}},
      {"data.tokenizer", "characters", {"vocabularies"}, long_lines},
      {"data.tokenizer", "sentencepiece", {"vocabularies"}, long_lines + Strings{"data.vocab_size=70"}},
      {"data.vocab_size", "20", {"vocabularies"}},
      {"data.vocab_size", "20", {"vocabularies"}, characters},
      {"data.vocab_size", "80", {"vocabularies"}, subwords},
      {"data.vocab_sentences", "9", {"vocabularies"}, subwords},
      {"data.vocab_sentences", "9", {"vocabularies"}},
      {"data.prepare_above", "0", {"place of training pairs"}},
      {"data.cache", "FOLDER/cache", {"place of training pairs"}, {"data.prepare_above=0"}},
      {"data.min_frequency", "3", {"vocabularies"}},
      {"data.min_frequency", "12", {"vocabularies"}, characters},
      {"data.shared_vocabulary", "false", {"vocabularies"}},
      {"data.sentencepiece_model", "unigram", {"vocabularies"}, subwords},
      {"data.normalization", "nmt_nfkc_cf", {"vocabularies"}, subwords},
      {"data.normalization", "identity", {"vocabularies"}, subwords},
      {"data.character_coverage", "0.98", {"vocabularies"}, subwords},
      {"data.bpe_dropout", "0.5", {"first loss", "first gradient"}, subwords},
      {"data.unigram_sampling",
       "0.5",
       {"first loss", "first gradient"},
       subwords + Strings{"data.sentencepiece_model=unigram"}},
      {"data.lowercase", "true", both_texts},
      {"data.lowercase", "true", {"sources"}, {"data.train=FOLDER/lower", "data.valid=FOLDER/lower", all_allowed}},
      {"data.invalid_utf8", "replace", {"damaged text"}},
      {"data.invalid_utf8",
       "replace",
       both_texts + Strings{"damaged text"},
       {"data.train=FOLDER/damaged", all_allowed},
       "damaged.en:4:"},
      {"data.max_line_bytes", "200", {"text with a long line"}},
      {"data.max_line_bytes",
       "200",
       both_texts + Strings{"text with a long line"},
       {"data.train=FOLDER/long", all_allowed},
       "long.en:4"},
      {"data.max_length", "8", {"training pairs"}},
      {"data.max_ratio", "1.2", {"training pairs"}},
      {"data.duplicates", "drop", {"training text"}, {"data.train=[FOLDER/corpus, FOLDER/corpus]"}},
      {"data.source_prefix", ">>de<<", both_pairs + Strings{"vocabularies", "sources"}},
      {"data.source_bos", "true", both_pairs + Strings{"sources"}},
      {"data.source_eos", "false", both_pairs + Strings{"sources"}},
      {"data.unk_id", "4", {"vocabularies"}},
      {"data.pad_id", "4", {"vocabularies"}},
      {"data.bos_id", "4", {"vocabularies"}},
      {"data.bos_id", "1", {"vocabularies"}},
      {"data.bos_id", "1", {"vocabularies"}, subwords},
      {"data.eos_id", "4", {"vocabularies"}},
      {"data.unk_id", "4", {"vocabularies"}, subwords},
      {"data.max_tokens", "48", {"batches"}},
      {"data.batch_rule", "tokens", {"batches"}},
      {"data.batch_rule", "sentences", {"batches"}, {"data.max_tokens=10"}},

      {"model.width", "12", {"parameters"}},
      {"model.width", "12", {"parameters", "learning rates"}, {"optim.schedule=noam"}},
      {"model.heads", "4", {"forward pass"}},
      {"model.key_heads", "1", {"parameters"}},
      {"model.head_width", "6", {"parameters"}},
      {"model.similarity", "dot", {"forward pass"}},
      {"model.similarity", "general", {"parameters"}},
      {"model.similarity", "additive", {"parameters"}},
      {"model.feed_forward", "16", {"parameters"}},
      {"model.encoder_layers", "2", {"parameters"}},
      {"model.decoder_layers", "2", {"parameters"}},
      {"model.dropout",
       "0.4",
       {"first loss"},
       {"model.attention_dropout=0", "model.activation_dropout=0", "model.embedding_dropout=0"}},
      {"model.attention_dropout", "0.2", {"first loss"}, no_dropout},
      {"model.attention_dropout", "0", {"first loss"}},
      {"model.attention_dropout", "null", {"first loss"}, {"model.attention_dropout=0"}},
      {"model.activation_dropout", "0.2", {"first loss"}, no_dropout},
      {"model.activation_dropout", "0", {"first loss"}},
      {"model.embedding_dropout", "0.2", {"first loss"}, no_dropout},
      {"model.embedding_dropout", "0", {"first loss"}},
      {"model.norm", "post", {"forward pass"}},
      {"model.final_norm", "false", {"parameters"}},
      {"model.norm_kind", "rms", {"parameters"}},
      {"model.norm_kind", "rms", {"forward pass"}, {"model.norm_affine=gain"}},
      {"model.norm_epsilon", "0.1", {"forward pass"}},
      {"model.epsilon_place", "outside", {"forward pass"}, {"model.norm_epsilon=0.1"}},
      {"model.norm_affine", "scalar", {"parameters"}},
      {"model.norm_affine", "gain", {"parameters"}},
      {"model.norm_affine", "none", {"parameters"}},
      {"model.activation", "gelu", {"forward pass"}},
      {"model.activation", "gelu_tanh", {"forward pass"}},
      {"model.activation", "silu", {"forward pass"}},
      {"model.activation", "swiglu", {"parameters"}},
      {"model.activation", "geglu", {"parameters"}},
      {"model.activation", "geglu", {"forward pass"}, {"model.activation=swiglu"}},
      {"model.positions", "learned", {"parameters"}},
      {"model.positions", "rotary", {"forward pass"}},
      {"model.positions", "alibi", {"forward pass"}},
      {"model.rotary_base", "10", {"forward pass"}, {"model.positions=rotary"}},
      {"model.sinusoid", "halves", {"forward pass"}},
      {"model.sinusoid", "raw_index", {"forward pass"}},
      {"model.sinusoid", "sorted", {"forward pass"}},
      {"model.max_positions", "20", {"sources"}},
      {"model.max_positions", "20", {"sources", "parameters"}, {"model.positions=learned"}},
      {"model.max_positions", "20", {"sources"}, {"model.positions=rotary"}},
      {"model.tied", "none", {"parameters"}},
      {"model.tied", "all", {"parameters"}},
      {"model.tied", "embeddings", {"parameters"}},
      {"model.bias", "false", {"parameters"}},
      {"model.attention_bias", "none", {"parameters"}},
      {"model.attention_bias", "output", {"parameters"}},
      {"model.attention_bias", "all", {"parameters"}, {"model.bias=false"}},
      {"model.output_bias", "true", {"parameters"}},
      {"model.scale_embeddings", "false", {"forward pass"}},
      {"model.init", "normal", {"first weights"}},
      {"model.init_std", "0.1", {"first weights"}, {"model.init=normal"}},

      {"optim.name", "sgd", both_moments + Strings{"optimizer's steps"}},
      {"optim.name", "adamw", both_moments + Strings{"optimizer's steps"}, {"optim.weight_decay=0.5"}},
      {"optim.lr", "0.03", {"learning rates"}},
      {"optim.beta1", "0.8", {"first moments"}},
      {"optim.beta2", "0.9", {"second moments"}},
      {"optim.epsilon", "0.01", {"optimizer's steps"}},
      {"optim.momentum", "0.5", {"first moments"}, sgd},
      {"optim.weight_decay", "0.5", both_moments + Strings{"optimizer's steps"}},
      {"optim.weight_decay", "0.5", {"first moments"}, sgd},
      {"optim.weight_decay", "0.25", {"optimizer's steps"}, adamw},
      {"optim.decay_norm_and_bias", "true", {"optimizer's steps"}, adamw},
      {"optim.freeze", "encoder.*", both_moments + Strings{"optimizer's steps", "first gradient"}},
      {"optim.clip_norm", "0.1", {"weights"}},
      {"optim.clip_norm", "0", {"weights"}, {"optim.clip_norm=0.1"}},
      {"optim.schedule", "constant", {"learning rates"}},
      {"optim.schedule", "noam", {"learning rates"}},
      {"optim.schedule", "cosine", {"learning rates"}, {"optim.total_updates=10"}},
      {"optim.schedule", "linear", {"learning rates"}, {"optim.total_updates=10"}},
      {"optim.schedule", "plateau", {"learning rates"}},
      {"optim.warmup", "5", {"learning rates"}},
      {"optim.warmup_init_lr", "0.01", {"learning rates"}},
      {"optim.total_updates", "20", {"learning rates"}, {"optim.schedule=cosine", "optim.total_updates=10"}},
      {"optim.min_lr", "0.019", {"learning rates"}},
      {"optim.factor", "2", {"learning rates"}, {"optim.schedule=noam"}},
      {"optim.plateau_factor", "0.25", {"learning rates"}, {"optim.schedule=plateau"}},
      {"optim.plateau_patience", "1", {"learning rates"}, {"optim.schedule=plateau"}},

      {"train.max_updates", "5", {"end"}},
      {"train.max_epochs", "0.5", {"end"}},
      {"train.max_minutes", "1e-9", {"end"}},
      {"train.validate_every", "2u", {"validation lines"}},
      {"train.validate_every", "0", {"validation lines"}},
      {"train.save_every", "2u", {"checkpoints"}, {"train.keep_checkpoints=5"}},
      {"train.log_every", "43t", {"training lines"}},  // the first update has as many
      {"train.keep_checkpoints", "3", {"checkpoints"}},
      {"train.seed", "2", {"batches", "first weights"}},
      {"train.label_smoothing", "0", {"first gradient"}},
      {"train.r_drop", "4", {"first loss", "first gradient"}},
      {"train.word_dropout", "0.5", {"first loss", "first gradient"}},
      {"train.accumulate", "2", {"first loss", "end"}},
      {"train.precision", "bf16", {"first loss", "first gradient", "validation lines"}},
      {"train.ema", "0.5", {"average", "validation lines"}},
      {"train.metric", "perplexity", {}, {}, nullptr, "what has the smaller loss has the smaller perplexity"},
      {"train.metric", "bleu", {"best"}, able},
      {"train.metric", "chrf", {"best"}, able},
      {"train.metric", "exact_match", {"best"}, able},
      {"train.metric", "chrf", {"best"}, able + Strings{"train.metric=bleu"}},
      {"train.metric", "exact_match", {"best"}, able + Strings{"train.metric=bleu"}},
      {"train.patience", "2", {"end"}, at_rest},
      {"train.decode_validation", "false", {"validation lines"}},
      {"train.bleu_tokenize", "char", {"validation lines"}, able},
      {"train.bleu_tokenize", "char", {"validation lines", "best"}, able + Strings{"train.metric=bleu"}},
      {"train.samples", "2", {"samples"}},
      {"train.samples", "3", {"samples"}, {"train.samples=2"}},
      {"train.tensorboard", "true", {"events"}},
      {"train.warm_start", "FOLDER/base-corpus", {"first loss"}},
      {"train.warm_start", "FOLDER/base-other", {"first loss", "vocabularies"}},
      {"train.exportable",
       "marian",
       {"vocabularies", "threads"},
       {},
       "[train.exportable] expected options that Marian can"},
      {"train.allow",
       "valid-is-train",
       {"vocabularies", "first loss", "first gradient", "end"},  // none without it
       {"data.valid=FOLDER/corpus"},
       "--allow valid-is-train"},
      {"train.max_bad_updates", "2", {"end"}, bursting, "train.max_bad_updates"},

      {"decode.beam", "1", {"translation"}},
      {"decode.search", "huggingface", {"translation"}},
      {"decode.length_penalty", "none", {"translation"}},
      {"decode.length_penalty", "gnmt", {"translation"}},
      {"decode.alpha", "0.5", {"translation"}},
      {"decode.alpha", "0.5", {"translation"}, {"decode.length_penalty=gnmt"}},
      {"decode.max_length_factor", "0.5", {"translation"}},
      {"decode.max_length_extra", "3", {"translation"}},
      {"decode.min_length", "20", {"translation"}, {"decode.beam=1", "decode.sample=true"}},
      {"decode.forbidden", "[32]", {"translation"}},
      {"decode.renormalize", "true", {"translation"}},
      {"decode.max_tokens", "12", {"products of translation"}},
      {"decode.sample", "true", {"translation"}, {"decode.beam=1"}},
      {"decode.temperature", "0.5", {"translation"}, {"decode.beam=1", "decode.sample=true"}},
      {"decode.top_k", "2", {"translation"}, {"decode.beam=1", "decode.sample=true"}},
      {"decode.top_p", "0.5", {"translation"}, {"decode.beam=1", "decode.sample=true"}},
      {"decode.seed", "2", {"translation"}, {"decode.beam=1", "decode.sample=true"}},
      {"decode.average", "2", {"checkpoints that translate"}},
      {"decode.mbr", "8", {"translation"}},
      {"decode.mbr", "8", {"translation"}, {"decode.beam=1", "decode.mbr=2"}},
      {"decode.mbr_utility", "bleu", {"translation"}, {"decode.beam=1", "decode.mbr=8"}},
      {"decode.temperature", "0.5", {"translation"}, {"decode.beam=1", "decode.mbr=8"}},
      {"decode.top_k", "2", {"translation"}, {"decode.beam=1", "decode.mbr=8"}},
      {"decode.seed", "2", {"translation"}, {"decode.beam=1", "decode.mbr=8"}},
      {"decode.precision", "bf16", {"translation"}},

      {"runtime.threads", "2", {"threads"}},
      // Another library gives other last bits. If there is only one, choosing the other is refused.
      {"runtime.gemm",
       has_onednn ? "eigen" : "onednn",
       has_onednn ? Strings{"product library"} : Strings{"product library", "vocabularies"},
       {},
       "[set_gemm_backend]"},
      {"runtime.timeout", "1", {}, {}, nullptr, "of one process nothing; tests/integration/mpi_test.cpp shows it"},
  };
  return all;
}

/// Observes configurations, and caches each result.
class Observer {
 public:
  Observer() {
    write_corpora(folder_);
    const RestoreRuntime restore;
    for (const char* corpus : {"corpus", "other"})  // for train.warm_start
      FinishedRun(config({fmt::format("data.train=FOLDER/{}", corpus)}), folder_ / ("base-" + std::string(corpus)));
  }

  Config config(const Strings& sets) const {
    Strings whole = base_sets + sets;
    for (std::string& set : whole) set = std::regex_replace(set, std::regex("FOLDER"), folder_.path().string());
    return load_config("", whole);
  }

  using Effects = std::map<std::string, std::string>;

  /// The error that ended the run; empty if none did.
  const std::string& error(const Strings& sets) const { return errors_.at(sets); }

  const Effects& look(const Strings& sets) {
    const auto [place, is_new] = effects_.try_emplace(sets);
    if (!is_new) return place->second;
    ConfigFixture fixture(config(sets), folder_.path());
    const FinishedRun& run = fixture.run;
    errors_[sets] = run.error;
    if (fs::exists(run.folder)) CHECK(read_bytes(run.folder / "config.yaml") == dump(fixture.config));
    for (const Observation& observation : observations()) try {
        place->second[observation.name] = observation.look(fixture);
      } catch (const Error& error) {
        CHECK_MESSAGE(!run.error.empty(), std::string(error.what()));
        place->second[observation.name] = error.what();
      }
    return place->second;
  }

 private:
  TemporaryFolder folder_;
  std::map<Strings, Effects> effects_;
  std::map<Strings, std::string> errors_;
};

std::string text_of(const Config& config, std::string_view key) {
  for (const OptionSection& section : option_sections())
    for (const Option<Config>& option : section.options)
      if (section.name + "." + option.name == key) return option.text(config);
  FAIL("no option is called ", key);
  return "";
}

void check_rows_of(std::string_view section) {
  static Observer observer;  // all sections compare with the same base
  std::set<std::string_view> seen;
  for (const Row& row : rows()) {
    if (!std::string_view(row.key).starts_with(section)) continue;
    if (sanitized && !seen.insert(row.key).second) continue;  // one row of each option: they are slow
    const Strings changed_to = row.given + Strings{fmt::format("{}={}", row.key, row.value)};
    INFO(fmt::format("{}", fmt::join(changed_to, " ")));
    REQUIRE_NE(text_of(observer.config(row.given), row.key), text_of(observer.config(changed_to), row.key));
    const Observer::Effects &before = observer.look(row.given), &after = observer.look(changed_to);
    for (const Strings& sets : {row.given, changed_to})
      if (const std::string& error = observer.error(sets); !error.empty()) {
        INFO(error);
        CHECK((row.error != nullptr && error.find(row.error) != error.npos));
      }
    const std::set<std::string> may_change = with_consequences(row.changes);
    for (const Observation& observation : observations()) {
      const std::string name = observation.name;
      const bool changed = before.at(name) != after.at(name);
      INFO(name);
      if (std::ranges::find(row.changes, name) != row.changes.end()) CHECK(changed);
      if (!may_change.contains(name)) CHECK_FALSE(changed);
    }
  }
}

}  // namespace

TEST_CASE("every option has a row that shows its effect, and every row has an option") {
  std::set<std::string> options, shown, excused;
  for (const OptionSection& section : option_sections())
    for (const Option<Config>& option : section.options) options.insert(section.name + "." + option.name);
  for (const Row& row : rows()) {
    CAPTURE(row.key);
    CHECK(options.contains(row.key));
    CHECK_EQ(row.changes.empty(), row.reason != nullptr);
    (row.changes.empty() ? excused : shown).insert(row.key);
    for (const std::string& change : row.changes)
      CHECK(std::ranges::any_of(observations(), [&](const Observation& o) { return o.name == change; }));
  }
  const std::string of_jobs = read_bytes(GLOSSA_SOURCE_DIR "/tests/integration/mpi_test.cpp");
  for (const std::string& key : options)
    CHECK_MESSAGE((shown.contains(key) || of_jobs.find("Shown to act: " + key) != of_jobs.npos), key);
  MESSAGE(fmt::format("{} options, {} shown to act in {} rows; values that change nothing, with a reason: {}",
                      options.size(), shown.size(), rows().size(), fmt::join(excused, ", ")));
}

TEST_CASE("observations list causes before their effects") {
  std::set<std::string> causes;
  for (const Observation& observation : observations()) {
    for (const std::string& cause : observation.follows) CHECK_MESSAGE(causes.contains(cause), cause);
    CHECK(causes.insert(observation.name).second);
  }
}

TEST_CASE("each option's other value survives a dump, and --resume allows or refuses it as documented") {
  const std::set<std::string> may_change{
      "train.exportable", "train.patience",        "train.precision",      "train.max_updates",
      "train.max_epochs", "train.max_minutes",     "train.validate_every", "train.save_every",
      "train.log_every",  "train.max_bad_updates", "train.tensorboard",    "runtime.threads",
      "runtime.gemm",     "runtime.timeout",       "data.prepare_above",   "data.cache"};
  for (const Row& row : rows()) {
    const Config old = load_config("", base_sets + row.given);
    const Config now = load_config("", base_sets + row.given + Strings{fmt::format("{}={}", row.key, row.value)});
    CAPTURE(row.key);
    CHECK_EQ(text_of(parse_config(dump(now), "dump"), row.key), text_of(now, row.key));
    const std::string error = glossa::testing::error_of<Error>([&] { check_resume(old, now); });
    CHECK_EQ(error.starts_with(fmt::format("[{}] expected ", row.key)), !may_change.contains(row.key));
    CHECK_EQ(error.empty(), may_change.contains(row.key));
  }
}

TEST_CASE("train.max_minutes counts minutes of training") {
  const Observer observer;
  const TemporaryFolder folder;
  const ConfigFixture fixture(observer.config({"train.max_updates=0", "train.max_minutes=0.001",
                                               "train.validate_every=0", "train.save_every=0"}),
                              folder.path());
  CHECK(fixture.run.end == TrainingEnd::max_minutes);
  CHECK_GE(fixture.run.state.seconds, 0.06);
}

TEST_CASE("every option of data has its effects and no others") { check_rows_of("data."); }
TEST_CASE("every option of model has its effects and no others") { check_rows_of("model."); }
TEST_CASE("every option of optim has its effects and no others") { check_rows_of("optim."); }
TEST_CASE("every option of train has its effects and no others") { check_rows_of("train."); }
TEST_CASE("every option of decode has its effects and no others") { check_rows_of("decode."); }
TEST_CASE("every option of runtime has its effects and no others") { check_rows_of("runtime."); }
