// Every option acts, on what it should and on nothing else: another value of it is tried, and everything that a
// configuration leads to, from the text of the corpus to the files of a run, is compared with what it was.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <map>
#include <numeric>
#include <regex>
#include <set>

#include "autograd/kernels/gemm.h"
#include "autograd/kernels/product_log.h"
#include "autograd/parallel.h"
#include "data/toy_corpus.h"
#include "tests/support/temporary_folder.h"
#include "train/evaluation.h"
#include "train/trainer.h"

using namespace glossa;
using glossa::testing::names_in;
using glossa::testing::read_bytes;
using glossa::testing::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

using Strings = std::vector<std::string>;

// --- The texts ---

/// A corpus of words with upper case, full-width letters and characters that come once; in three languages.
void write_corpora(const TemporaryFolder& folder) {
  std::string english, hindi, german, table;
  const char* subjects[][3] = {{"The man", "aadmi", "der Mann"},    {"a woman", "aurat", "die Frau"},
                               {"my brother", "bhai", "Bruder"},    {"the boy", "ladka", "der Junge"},
                               {"ＡＢＣ friend", "dost", "Freund"}, {"one child", "bachcha", "das Kind"}};
  const char* verbs[][3] = {
      {"sees", "dekhta hai", "sieht"}, {"eats", "khaata hai", "isst"}, {"buys", "leta hai", "kauft"}};
  const char* objects[][3] = {{"the red house", "laal ghar ko", "das rote Haus"},
                              {"an apple", "seb", "einen Apfel"},
                              {"two ½ green trees in the garden", "bagiche mein do hare ped", "zwei Bäume"}};
  int n = 0;
  for (const auto& subject : subjects)
    for (const auto& verb : verbs)
      for (const auto& object : objects) {
        const std::string rare = ++n % 7 == 0 ? fmt::format(" once{}", n) : "";
        english += fmt::format("{} {} {}{}\n", subject[0], verb[0], object[0], rare);
        hindi += fmt::format("{} {} {}{}\n", subject[1], object[1], verb[1], rare);
        german += fmt::format("{} {} {}{}\n", subject[2], verb[2], object[2], rare);
        table += fmt::format("{}\t{} {}\t{} {}\n", n, subject[0], verb[0], subject[1], verb[1]);
      }
  folder.write("corpus.en", english);
  folder.write("corpus.hi", hindi);
  folder.write("corpus.de", german);
  folder.write("pairs.tsv", table);
  folder.write("other.en", english + "a word more\n");
  folder.write("other.hi", hindi + "ek shabd aur\n");
  const std::string valid[] = {"The boy sees the red house\nmy brother buys an apple\na woman eats an apple\n",
                               "ladka laal ghar ko dekhta hai\nbhai seb leta hai\naurat seb khaata hai\n",
                               "der Junge sieht das rote Haus\nBruder kauft einen Apfel\ndie Frau isst einen Apfel\n"};
  const char* languages[] = {"en", "hi", "de"};
  for (int i = 0; i < 3; ++i) {
    folder.write(fmt::format("valid.{}", languages[i]), valid[i]);
    folder.write(fmt::format("lower.{}", languages[i]), "small words\nthe boy\nthe apple and the house\n");
    folder.write(fmt::format("damaged.{}", languages[i]), valid[i] + "good \xff bad\n");
    folder.write(fmt::format("long.{}", languages[i]), valid[i] + std::string(300, 'x') + " y\n");
  }
}

/// What is translated: upper case, unknown words, and a line of 21 tokens with </s>.
const Strings lines{"the boy eats an apple", "The MAN sees ＡＢＣ", "my brother buys two green trees",
                    "the red house in the garden the red house in the garden the red house in the garden a woman"};

/// The configuration that every option is changed in; FOLDER stands for that of the texts.
const Strings base{"data.train=FOLDER/corpus",
                   "data.valid=FOLDER/valid",
                   "data.target=hi",
                   "data.tokenizer=words",
                   "train.samples=0",
                   "data.max_tokens=64",
                   "data.max_length=20",
                   "model.width=8",
                   "model.heads=2",
                   "model.feed_forward=12",
                   "model.encoder_layers=1",
                   "model.decoder_layers=1",
                   "model.dropout=0.2",
                   "model.max_positions=24",
                   "model.tied=output",
                   "optim.lr=0.02",
                   "optim.warmup=3",
                   "train.max_updates=6",
                   "train.validate_every=3u",
                   "train.save_every=4u",
                   "train.log_every=1u",
                   "train.keep_checkpoints=2",
                   "decode.beam=2",
                   "runtime.threads=1"};

// --- What a configuration leads to ---

/// Standard error goes nowhere while one lives: a run logs there.
class Quiet {
 public:
  Quiet() : before_(dup(STDERR_FILENO)) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
  }
  ~Quiet() {
    dup2(before_, STDERR_FILENO);
    close(before_);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  int before_;
};

/// Threads and product library of the process are set back at the end.
class RestoreRuntime {
 public:
  ~RestoreRuntime() {
    set_threads(threads_);
    kernels::set_gemm_backend(backend_);
  }

 private:
  int threads_ = threads();
  kernels::GemmBackend backend_ = kernels::gemm_backend();
};

std::string bytes(std::span<const float> numbers) {
  const auto raw = std::as_bytes(numbers);
  return {reinterpret_cast<const char*>(raw.data()), raw.size()};
}

/// How a run of a configuration ended, and its folder.
struct FinishedRun {
  FinishedRun(const Config& config, const fs::path& run) : folder(run) {
    fs::remove_all(folder);
    const Quiet quiet;
    try {
      Trainer trainer(config, "", folder, false);
      end = fmt::format("{}", static_cast<int>(trainer.train()));
    } catch (const Error& thrown) {
      error = end = thrown.what();
    }
    computed_with = {threads(), kernels::name(kernels::gemm_backend())};
    if (fs::exists(folder / "checkpoints/last"))
      state = read_training_state(CheckpointReader(folder / "checkpoints/last"));
    static const std::regex speed("\"tokens_per_s\":[^,}]*");
    std::istringstream metrics(std::regex_replace(read_bytes(folder / "metrics.jsonl"), speed, ""));
    for (std::string line; std::getline(metrics, line);)
      (line.find("valid_loss") == line.npos ? training : validation).push_back(line);
  }

  /// Names and bytes of all files in a part of the folder.
  std::string files(const fs::path& part, const std::string& ending = "") const {
    std::string text;
    if (!fs::exists(folder / part)) return text;
    for (const std::string& name : names_in(folder / part))
      if (name.ends_with(ending)) text += name + "\n" + read_bytes(folder / part / name);
    return text;
  }

  fs::path folder;
  std::string end, error;
  std::pair<int, std::string> computed_with;
  TrainingState state;
  Strings training, validation;  // lines of metrics.jsonl without what is a matter of time
};

/// A configuration, and what is made of it when it is first asked for.
class Subject {
 public:
  Subject(const Config& given, const fs::path& folder) : config(given), folder_(folder) {}

  const Corpora& corpora() {
    if (!corpora_) corpora_ = read_corpora(config.data, seed());
    return *corpora_;
  }
  const Tokenizers& tokenizers() {
    if (!tokenizers_) tokenizers_ = train_tokenizers(config.data, corpora().training);
    return *tokenizers_;
  }
  const EncodedCorpus& pairs() {
    if (!pairs_) pairs_ = encode(config.data, corpora().training, tokenizers());
    return *pairs_;
  }
  std::vector<std::vector<int>> batches(int epoch) {
    return Sampler(pairs(), sampler_options(config.data, seed())).epoch(epoch, true);
  }
  Model& model() {
    if (!model_)
      model_ = make_model(config.model, tokenizers().source->vocabulary_size(), tokenizers().target->vocabulary_size(),
                          seed());
    return *model_;
  }
  Translator translator() { return {*model().transformer, tokenizers(), config.data, config.decode}; }

  const FinishedRun& run() {
    if (!run_) run_.emplace(config, folder_ / "run");
    return *run_;
  }
  /// A number of the first training line. Ten digits: the order of a sum is not what is looked at.
  std::string in_first_line(const std::string& key) {
    if (run().training.empty()) return run().end;
    std::smatch match;
    REQUIRE(std::regex_search(run().training[0], match, std::regex("\"" + key + "\":([^,}]*)")));
    return fmt::format("{:.10}", std::stod(match[1]));
  }

  /// A fresh model after three steps of the optimizer with gradients that are given.
  struct Stepped {
    std::unique_ptr<Model> model;
    std::unique_ptr<Optimizer<float>> optimizer;

    /// The optimizer's n-th buffer, if it has so many.
    std::string moments(std::size_t n) const {
      const auto state = optimizer->state();
      return n < state.size() ? std::string(state[n].name) + bytes(state[n].values) : "none";
    }
  };
  const Stepped& stepped() {
    if (stepped_) return *stepped_;
    Stepped result;
    result.model = make_model(config.model, tokenizers().source->vocabulary_size(),
                              tokenizers().target->vocabulary_size(), seed());
    ParameterStore<float>& store = result.model->parameters;
    result.optimizer = make_optimizer(config.optim, store);
    for (std::uint64_t step = 1; step <= 3; ++step) {
      store.clear_grads();
      store.fill_unset_grads();
      for (const Parameter<float>* parameter : store.parameters()) {
        RandomStream random(step, parameter->name);
        for (float& g : parameter->grad_tensor().span()) g = static_cast<float>(random.normal());
      }
      result.optimizer->step(0.01, 1);
    }
    return stepped_.emplace(std::move(result));
  }

  std::uint64_t seed() const { return static_cast<std::uint64_t>(config.train.seed); }

  const Config config;
  const fs::path folder_;

 private:
  std::optional<Corpora> corpora_;
  std::optional<Tokenizers> tokenizers_;
  std::optional<EncodedCorpus> pairs_;
  std::unique_ptr<Model> model_;
  std::optional<FinishedRun> run_;
  std::optional<Stepped> stepped_;
};

std::string text_of(const ParallelCorpus& corpus) {
  return fmt::format("{}\n{}", fmt::join(corpus.source, "\n"), fmt::join(corpus.target, "\n"));
}

std::string text_of(const EncodedCorpus& corpus) { return fmt::format("{} {}", corpus.source, corpus.target); }

std::string names_and_shapes(Subject& s) {
  std::string text;
  for (const Parameter<float>* parameter : s.model().parameters.parameters())
    text += parameter->name + parameter->value.shape.str();
  return text;
}

/// Two epochs as rows of ids and where the sentences lie in them.
std::string rows_of(Subject& s) {
  std::string text;
  for (const std::vector<int>& indices : s.batches(0)) {
    const Batch batch = make_batch(s.pairs(), indices, layout(s.config.data));
    text += fmt::format("{} {} {};", batch.source, batch.target_in, batch.target_out);
  }
  return text;
}

/// Losses of the training pairs, without dropout.
std::string forward(Subject& s) {
  Context<float> context;
  std::vector<int> all(static_cast<std::size_t>(s.pairs().size()));
  std::iota(all.begin(), all.end(), 0);
  const Batch batch = make_batch(s.pairs(), all, Layout::packed);
  BatchRows rows;
  rows.assign(batch);
  context.begin({.training = false, .recording = false});
  return fmt::format("{}", batch_loss(context, *s.model().transformer, batch, rows, s.pairs().specials.pad, 0).nll_sum);
}

/// What is kept of the lines that can be read, and the errors of the others.
std::string sources_of(Subject& s, std::vector<Translator::Sources>* kept = nullptr) {
  const Translator translator = s.translator();
  std::string text;
  for (const std::string& line : lines) try {
      Translator::Sources sources = translator.encode({&line, 1}, "lines");
      text += fmt::format("{};", sources.ids);
      if (kept) kept->push_back(std::move(sources));
    } catch (const Error& error) {
      text += error.what();
    }
  return text;
}

std::string translation(Subject& s) {
  std::vector<Translator::Sources> all;
  sources_of(s, &all);
  Translator translator = s.translator();
  std::string text;
  for (const Translator::Sources& sources : all)
    for (const Hypothesis& found : translator.search(sources))
      text += fmt::format("{} {};", s.tokenizers().target->decode(found.tokens), found.score);
  return text;
}

std::string products_of_translation(Subject& s) {
  Translator translator = s.translator();
  const Strings three(lines.begin(), lines.begin() + 3);
  const kernels::ProductLog log;
  translator.translate(three, "lines");
  std::string text;
  for (const kernels::Product& product : log.products)
    text += fmt::format("{}x{}x{} ", product.m, product.n, product.k);
  return text;
}

std::string learning_rates(Subject& s) {
  Schedule schedule = make_schedule(s.config.optim, s.config.model.width);
  std::string text;
  for (int update = 1; update <= 12; ++update) {
    text += fmt::format("{} ", schedule.lr(update));
    schedule.observe(1, false);
  }
  return text;
}

/// A file of text as translation reads it, or why it does not.
std::string read_text(Subject& s, const char* name) {
  try {
    return fmt::format("{}", fmt::join(read_lines(s.folder_ / name, text_options(s.config.data)), "\n"));
  } catch (const Error& error) {
    return error.what();
  }
}

/// The newest checkpoints and what the links point to.
std::string checkpoints_of(const FinishedRun& run) {
  std::string text;
  if (!fs::exists(run.folder / "checkpoints")) return "none";
  for (const std::string& name : names_in(run.folder / "checkpoints")) {
    const fs::path path = run.folder / "checkpoints" / name;
    text += name + (fs::is_symlink(path) ? " -> " + fs::read_symlink(path).string() : "") + "\n";
  }
  return text;
}

/// Something that a configuration leads to, what it is made of, and how it looks.
struct Observation {
  const char* name;
  Strings follows;
  std::function<std::string(Subject&)> look;
};

const std::vector<Observation>& observations() {
  static const std::vector<Observation> all{
      {"training text", {}, [](Subject& s) { return text_of(s.corpora().training); }},
      {"validation text", {}, [](Subject& s) { return text_of(s.corpora().validation); }},
      {"damaged text", {}, [](Subject& s) { return read_text(s, "damaged.en"); }},
      {"text with a long line", {}, [](Subject& s) { return read_text(s, "long.en"); }},
      {"vocabularies",
       {"training text"},
       [](Subject& s) { return s.run().files("", ".txt") + s.run().files("", ".model"); }},
      {"training pairs", {"training text", "vocabularies"}, [](Subject& s) { return text_of(s.pairs()); }},
      {"validation pairs",
       {"validation text", "vocabularies"},
       [](Subject& s) {
         const ParallelCorpus& valid = s.corpora().validation;
         return valid.source.empty() ? "" : text_of(encode(s.config.data, valid, s.tokenizers()));
       }},
      {"batches", {"training pairs"}, [](Subject& s) { return fmt::format("{} {}", s.batches(0), s.batches(1)); }},
      {"rows", {"batches"}, rows_of},
      {"sources", {"vocabularies"}, [](Subject& s) { return sources_of(s); }},
      {"parameters", {"vocabularies"}, names_and_shapes},
      {"first weights", {"parameters"}, [](Subject& s) { return bytes(s.model().parameters.values()); }},
      {"forward pass", {"first weights", "training pairs"}, forward},
      {"translation", {"sources", "forward pass"}, translation},
      {"products of translation", {"translation"}, products_of_translation},
      {"learning rates", {}, learning_rates},
      {"first moments", {"parameters"}, [](Subject& s) { return s.stepped().moments(0); }},
      {"second moments", {"parameters"}, [](Subject& s) { return s.stepped().moments(1); }},
      {"optimizer's steps",
       {"first weights", "first moments", "second moments"},
       [](Subject& s) { return bytes(s.stepped().model->parameters.values()); }},
      {"first loss", {"forward pass", "batches"}, [](Subject& s) { return s.in_first_line("loss"); }},
      {"first gradient", {"first loss"}, [](Subject& s) { return s.in_first_line("grad_norm"); }},
      {"end",
       {"batches"},
       [](Subject& s) {
         const TrainingState& state = s.run().state;
         return fmt::format("{} {} {} {} {}", s.run().end, state.update, state.epoch, state.batch, state.bad_updates);
       }},
      {"weights",
       {"rows", "first gradient", "learning rates", "optimizer's steps", "end"},
       [](Subject& s) {
         const fs::path last = s.run().folder / "checkpoints/last";
         return fs::exists(last) ? parameters_sha256(CheckpointReader(last)) : s.run().end;
       }},
      {"training lines", {"weights"}, [](Subject& s) { return fmt::format("{}", s.run().training); }},
      {"validation lines",
       {"validation pairs", "weights", "translation"},
       [](Subject& s) { return fmt::format("{}", s.run().validation); }},
      {"samples", {"validation lines"}, [](Subject& s) { return s.run().files("samples"); }},
      {"best",
       {"validation lines"},
       [](Subject& s) {
         const TrainingState& state = s.run().state;
         return fmt::format("{} {} {}", state.best, state.best_update, state.stalled);
       }},
      {"checkpoints", {"end", "best"}, [](Subject& s) { return checkpoints_of(s.run()); }},
      {"threads", {}, [](Subject& s) { return fmt::format("{}", s.run().computed_with.first); }},
      {"product library", {}, [](Subject& s) { return s.run().computed_with.second; }},
  };
  return all;
}

/// These and whatever follows from them, however far.
std::set<std::string> with_consequences(const Strings& names) {
  std::set<std::string> reached(names.begin(), names.end());
  for (const Observation& observation : observations())  // causes come first
    for (const std::string& cause : observation.follows)
      if (reached.contains(cause)) reached.insert(observation.name);
  return reached;
}

// --- The table ---

/// An option, another value of it, what that changes by itself, and what else both runs have beside the base; a part of
/// the error that ends a run of theirs, where one may. Where it changes nothing, a reason.
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
  static const Strings both_moments{"first moments", "second moments"};
  static const Strings no_dropout{"model.dropout=0"};
  static const Strings sgd{"optim.name=sgd"}, adamw{"optim.name=adamw", "optim.weight_decay=0.5"};
  // Learns enough to translate some of what it has seen.
  static const Strings able{"data.train=FOLDER/valid", "model.dropout=0", "train.max_updates=60",
                            "train.validate_every=20u"};
  static const Strings at_rest{"optim.lr=1e-30", "train.validate_every=1u"};
  static const Strings bursting{"optim.name=adamw",        "optim.lr=1000",     "optim.weight_decay=100",
                                "optim.schedule=constant", "optim.warmup=0",    "train.max_updates=60",
                                "train.validate_every=0",  "train.save_every=0"};
  static const bool has_onednn = kernels::has_gemm_backend(kernels::GemmBackend::onednn);
  static const std::vector<Row> all{
      {"data.train", "FOLDER/other", {"training text"}},
      {"data.valid", "FOLDER/lower", {"validation text"}},
      {"data.valid", "", {"validation text"}},
      {"data.source", "de", both_texts},
      {"data.target", "de", both_texts},
      {"data.source_column", "1", {"training text"}, {"data.train=FOLDER/pairs.tsv", "data.target_column=2"}},
      {"data.target_column", "1", {"training text"}, {"data.train=FOLDER/pairs.tsv", "data.target_column=2"}},
      {"data.tokenizer", "characters", {"vocabularies"}, long_lines},
      {"data.tokenizer", "sentencepiece", {"vocabularies"}, long_lines + Strings{"data.vocab_size=70"}},
      {"data.vocab_size", "20", {"vocabularies"}},
      {"data.vocab_size", "20", {"vocabularies"}, characters},
      {"data.vocab_size", "80", {"vocabularies"}, subwords},
      {"data.min_frequency", "3", {"vocabularies"}},
      {"data.min_frequency", "12", {"vocabularies"}, characters},
      {"data.shared_vocabulary", "false", {"vocabularies"}},
      {"data.sentencepiece_model", "unigram", {"vocabularies"}, subwords},
      {"data.normalization", "nmt_nfkc_cf", {"vocabularies"}, subwords},
      {"data.normalization", "identity", {"vocabularies"}, subwords},
      {"data.character_coverage", "0.98", {"vocabularies"}, subwords},
      {"data.lowercase", "true", both_texts},
      {"data.lowercase", "true", {"sources"}, {"data.train=FOLDER/lower", "data.valid=FOLDER/lower"}},
      {"data.invalid_utf8", "replace", {"damaged text"}},
      {"data.invalid_utf8",
       "replace",
       both_texts + Strings{"damaged text"},
       {"data.train=FOLDER/damaged"},
       "damaged.en:4:"},
      {"data.max_line_bytes", "200", {"text with a long line"}},
      {"data.max_line_bytes",
       "200",
       both_texts + Strings{"text with a long line"},
       {"data.train=FOLDER/long"},
       "long.en:4"},
      {"data.max_length", "8", {"training pairs"}},
      {"data.source_bos", "true", both_pairs + Strings{"sources"}},
      {"data.source_eos", "false", both_pairs + Strings{"sources"}},
      {"data.unk_id", "4", {"vocabularies"}},
      {"data.pad_id", "4", {"vocabularies"}},
      {"data.bos_id", "4", {"vocabularies"}},
      {"data.eos_id", "4", {"vocabularies"}},
      {"data.unk_id", "4", {"vocabularies"}, subwords},
      {"data.max_tokens", "48", {"batches"}},
      {"data.batch_rule", "tokens", {"batches"}},
      {"data.batch_rule", "sentences", {"batches"}, {"data.max_tokens=10"}},
      {"data.layout", "padded", {"rows"}},

      {"model.width", "12", {"parameters"}},
      {"model.width", "12", {"parameters", "learning rates"}, {"optim.schedule=noam"}},
      {"model.heads", "4", {"forward pass"}},
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
      {"model.activation_dropout", "0.2", {"first loss"}, no_dropout},
      {"model.activation_dropout", "0", {"first loss"}},
      {"model.embedding_dropout", "0.2", {"first loss"}, no_dropout},
      {"model.embedding_dropout", "0", {"first loss"}},
      {"model.norm", "post", {"forward pass"}},
      {"model.final_norm", "false", {"parameters"}},
      {"model.norm_epsilon", "0.1", {"forward pass"}},
      {"model.epsilon_place", "outside", {"forward pass"}, {"model.norm_epsilon=0.1"}},
      {"model.norm_affine", "scalar", {"parameters"}},
      {"model.norm_affine", "gain", {"parameters"}},
      {"model.norm_affine", "none", {"parameters"}},
      {"model.activation", "gelu", {"forward pass"}},
      {"model.activation", "gelu_tanh", {"forward pass"}},
      {"model.activation", "silu", {"forward pass"}},
      {"model.positions", "learned", {"parameters"}},
      {"model.sinusoid", "halves", {"forward pass"}},
      {"model.sinusoid", "raw_index", {"forward pass"}},
      {"model.max_positions", "20", {"sources"}},
      {"model.max_positions", "20", {"sources", "parameters"}, {"model.positions=learned"}},
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
      {"train.accumulate", "2", {"first loss", "end"}},
      {"train.metric", "perplexity", {}, {}, nullptr, "what has the smaller loss has the smaller perplexity"},
      {"train.metric", "bleu", {"best"}, able},
      {"train.metric", "chrf", {"best"}, able},
      {"train.metric", "exact_match", {"best"}, able},
      {"train.metric", "chrf", {"best"}, able + Strings{"train.metric=bleu"}},
      {"train.metric", "exact_match", {"best"}, able + Strings{"train.metric=bleu"}},
      {"train.patience", "2", {"end"}, at_rest},
      {"train.decode_validation", "false", {"validation lines"}},
      {"train.samples", "2", {"samples"}},
      {"train.samples", "3", {"samples"}, {"train.samples=2"}},
      {"train.warm_start", "FOLDER/base", {"vocabularies", "first loss"}},
      {"train.max_bad_updates", "2", {"end"}, bursting, "train.max_bad_updates"},

      {"decode.beam", "1", {"translation"}},
      {"decode.length_penalty", "none", {"translation"}},
      {"decode.length_penalty", "gnmt", {"translation"}},
      {"decode.alpha", "0.5", {"translation"}},
      {"decode.alpha", "0.5", {"translation"}, {"decode.length_penalty=gnmt"}},
      {"decode.max_length_factor", "0.5", {"translation"}},
      {"decode.max_length_extra", "3", {"translation"}},
      {"decode.max_tokens", "12", {"products of translation"}},
      {"decode.sample", "true", {"translation"}, {"decode.beam=1"}},
      {"decode.temperature", "0.5", {"translation"}, {"decode.beam=1", "decode.sample=true"}},
      {"decode.seed", "2", {"translation"}, {"decode.beam=1", "decode.sample=true"}},

      {"runtime.threads", "2", {"threads"}},
      // Other last bits come out of another library; where there is one only, the other is refused.
      {"runtime.gemm", has_onednn ? "eigen" : "onednn", {"product library", "forward pass"}, {}, "runtime.gemm"},
  };
  return all;
}

// --- The comparison ---

/// Looks at configurations; what was seen of one is remembered.
class Laboratory {
 public:
  Laboratory() {
    write_corpora(folder_);
    const FinishedRun other(config({"data.train=FOLDER/other"}), folder_ / "base");  // for train.warm_start
  }

  Config config(const Strings& sets) const {
    Strings whole = base + sets;
    for (std::string& set : whole) set = std::regex_replace(set, std::regex("FOLDER"), folder_.path().string());
    return load_config("", whole);
  }

  using Sight = std::map<std::string, std::string>;

  /// The error that ended the run; empty where none did.
  const std::string& error(const Strings& sets) const { return errors_.at(sets); }

  const Sight& look(const Strings& sets) {
    const auto [place, is_new] = seen_.try_emplace(sets);
    if (!is_new) return place->second;
    const RestoreRuntime restore;
    Subject subject(config(sets), folder_.path());
    const FinishedRun& run = subject.run();  // first of all: it sets threads and product library
    errors_[sets] = run.error;
    if (fs::exists(run.folder)) CHECK(read_bytes(run.folder / "config.yaml") == dump(subject.config));
    for (const Observation& observation : observations()) try {
        place->second[observation.name] = observation.look(subject);
      } catch (const Error& error) {
        CHECK_MESSAGE(!run.error.empty(), std::string(error.what()));
        place->second[observation.name] = error.what();
      }
    return place->second;
  }

 private:
  TemporaryFolder folder_;
  std::map<Strings, Sight> seen_;
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
  Laboratory laboratory;
  for (const Row& row : rows()) {
    if (!std::string_view(row.key).starts_with(section)) continue;
    const Strings changed_to = row.given + Strings{fmt::format("{}={}", row.key, row.value)};
    INFO(fmt::format("{}", fmt::join(changed_to, " ")));
    REQUIRE_NE(text_of(laboratory.config(row.given), row.key), text_of(laboratory.config(changed_to), row.key));
    const Laboratory::Sight &before = laboratory.look(row.given), &after = laboratory.look(changed_to);
    for (const Strings& sets : {row.given, changed_to})
      if (const std::string& error = laboratory.error(sets); !error.empty()) {
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

TEST_CASE("every option has a row that shows it to act, and every row an option") {
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
  for (const std::string& key : options) CHECK_MESSAGE(shown.contains(key), key);
  MESSAGE(fmt::format("{} options, {} shown to act in {} rows; values that change nothing, with a reason: {}",
                      options.size(), shown.size(), rows().size(), fmt::join(excused, ", ")));
}

TEST_CASE("what follows from what is named in the order of causes") {
  std::set<std::string> causes;
  for (const Observation& observation : observations()) {
    for (const std::string& cause : observation.follows) CHECK_MESSAGE(causes.contains(cause), cause);
    CHECK(causes.insert(observation.name).second);
  }
}

TEST_CASE("each option's other value is kept by a dump, and allowed or refused on --resume as is promised") {
  const std::set<std::string> may_change{"train.max_updates",     "train.max_epochs", "train.max_minutes",
                                         "train.validate_every",  "train.save_every", "train.log_every",
                                         "train.max_bad_updates", "runtime.threads",  "runtime.gemm"};
  for (const Row& row : rows()) {
    const Config old = load_config("", base + row.given);
    const Config now = load_config("", base + row.given + Strings{fmt::format("{}={}", row.key, row.value)});
    CAPTURE(row.key);
    CHECK_EQ(text_of(parse_config(dump(now), "dump"), row.key), text_of(now, row.key));
    const std::string error = glossa::testing::error_of<Error>([&] { check_resume(old, now); });
    CHECK_EQ(error.starts_with(fmt::format("[{}] expected ", row.key)), !may_change.contains(row.key));
    CHECK_EQ(error.empty(), may_change.contains(row.key));
  }
}

TEST_CASE("train.max_minutes are minutes of training") {
  const Laboratory laboratory;
  const TemporaryFolder folder;
  const Quiet quiet;
  const RestoreRuntime restore;
  Trainer trainer(laboratory.config({"train.max_updates=0", "train.max_minutes=0.001", "train.validate_every=0",
                                     "train.save_every=0"}),
                  "", folder / "run", false);
  CHECK(trainer.train() == TrainingEnd::max_minutes);
  CHECK_GE(trainer.seconds(), 0.06);
}

TEST_CASE("every option of data acts, and on nothing else") { check_rows_of("data."); }
TEST_CASE("every option of model acts, and on nothing else") { check_rows_of("model."); }
TEST_CASE("every option of optim acts, and on nothing else") { check_rows_of("optim."); }
TEST_CASE("every option of train acts, and on nothing else") { check_rows_of("train."); }
TEST_CASE("every option of decode acts, and on nothing else") { check_rows_of("decode."); }
TEST_CASE("every option of runtime acts, and on nothing else") { check_rows_of("runtime."); }

TEST_CASE("train.seed draws the toy corpus too") {
  constexpr std::uint64_t seed = 2;
  const Corpora corpora = read_corpora(load_config("", {"data.train=toy:40", "data.target=hi"}).data, seed);
  Strings drawn;
  for (const ToyPair& pair : toy_corpus(40, seed).train) drawn.push_back(pair.english);
  CHECK_EQ(corpora.training.source, drawn);
}
