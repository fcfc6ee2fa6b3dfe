#include "config/config.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <set>
#include <string>
#include <vector>

#include "base/check.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using glossa::testing::TemporaryFolder;

namespace {

template <class F>
std::string complaint_of(F&& f, int exit_status = 2) {
  try {
    f();
  } catch (const Error& error) {
    CHECK(error.exit_status() == exit_status);
    return error.what();
  }
  return "no error";
}

std::string set_error(const std::string& set) {
  return complaint_of([&] { load_config("", {set}); });
}

std::string check_error(std::vector<std::string> sets) {
  sets.insert(sets.begin(), {"data.train=toy:5000", "train.max_updates=10K"});
  return complaint_of([&] { validate(load_config("", sets)); });
}

std::vector<std::string> warnings(std::vector<std::string> sets) {
  sets.insert(sets.begin(), {"data.train=toy:5000", "train.max_updates=10K"});
  return option_doubts(load_config("", sets));
}

/// A separate configuration file.
class YamlFile {
 public:
  explicit YamlFile(const std::string& text) { glossa::testing::write_bytes(path(), text); }
  std::string path() const { return (folder_.path() / "c.yaml").string(); }
  Config load() const { return load_config(path()); }

  /// The error without the folder's name.
  std::string error(int exit_status = 2) const {
    std::string text = complaint_of([&] { load(); }, exit_status);
    const std::string prefix = folder_.path().string() + "/";
    if (const auto at = text.find(prefix); at != text.npos) text.erase(at, prefix.size());
    return text;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("YAML values reach their members") {
  const Config config = YamlFile(
                            "data:\n  train: toy:50000\n  source: no\n  tokenizer: words\n"
                            "model: {width: 128, attention_dropout: 0.2, norm: post}\n"
                            "optim:\n  freeze: ['*bias', encoder.*]\n"
                            "train:\n  max_epochs: 20\n  validate_every: 10Mt\n"
                            "decode:\nruntime.gemm: auto\n")
                            .load();
  CHECK(config.data.train == CorpusNames("toy:50000"));
  CHECK(config.data.source == "no");
  CHECK(config.data.tokenizer == DataConfig::Tokenizer::words);
  CHECK(config.model.transformer.stack.width == 128);
  CHECK(config.model.attention_dropout == 0.2);
  CHECK_FALSE(config.model.embedding_dropout);
  CHECK(config.model.transformer.stack.norm == NormPlace::post);
  CHECK(config.optim.freeze == std::vector<std::string>{"*bias", "encoder.*"});
  CHECK(config.train.max_epochs == Period{20, Period::Unit::epochs});
  CHECK(config.train.validate_every == Period{1e7, Period::Unit::target_tokens});
  CHECK(config.runtime.gemm == RuntimeConfig::Gemm::automatic);
}

TEST_CASE("an empty file means defaults; CRLF and a byte order mark do not matter") {
  const std::string defaults = dump(Config{});
  CHECK(dump(YamlFile("").load()) == defaults);
  CHECK(dump(YamlFile("# nothing\n").load()) == defaults);
  CHECK(YamlFile("\xEF\xBB\xBFmodel:\r\n  width: 64\r\n").load().model.transformer.stack.width == 64);
}

TEST_CASE("the last --set wins, even over the file") {
  const YamlFile file("model:\n  width: 64\n");
  CHECK(
      load_config(file.path(), {"model.width=128", "model.width=32", "data.train=a=b"}).model.transformer.stack.width ==
      32);
  const Config both = load_config(file.path(), {"data.train=a=b"});
  CHECK(both.data.train == CorpusNames("a=b"));
  CHECK(both.model.transformer.stack.width == 64);
}

TEST_CASE("errors in a file name the line") {
  CHECK(YamlFile("model:\n  hedas: 4\n").error() ==
        "[c.yaml:2] unknown key 'model.hedas'; did you mean 'model.heads'?");
  CHECK(YamlFile("\nmodle:\n  heads: 4\n").error() == "[c.yaml:2] unknown key 'modle'; did you mean 'model'?");
  CHECK(YamlFile("train:\n  lr: 1\n").error() == "[c.yaml:2] unknown key 'train.lr'; did you mean 'optim.lr'?");
  CHECK(YamlFile("qqqqqqqq: 1\n").error() ==
        "[c.yaml:1] unknown key 'qqqqqqqq'. Hint: docs/options.md lists every key");
  CHECK(YamlFile("model:\n  width: 64\n  dropout: 1,5\n").error() ==
        "[c.yaml:3] model.dropout: expected a number in [0, 1) or auto; got '1,5'");
  CHECK(YamlFile("model:\n  dropout: 0,5\n").error() ==
        "[c.yaml:2] model.dropout: expected a number in [0, 1) or auto; got '0,5'. Hint: write 0.5");
  CHECK(YamlFile("train:\n  max_updates: 10,000\n").error().ends_with("got '10,000'. Hint: write 10000"));
  CHECK(YamlFile("model:\n  dropout:\n").error() ==
        "[c.yaml:2] model.dropout: expected a number in [0, 1) or auto; got nothing");
  CHECK(YamlFile("model:\n  dropout: .nan\n").error() ==
        "[c.yaml:2] model.dropout: expected a number in [0, 1) or auto; got '.nan'");
  CHECK(YamlFile("model:\n  heads: [4]\n").error() ==
        "[c.yaml:2] model.heads: expected a whole number in [1, 4096] or auto; got a list");
  CHECK(YamlFile("model:\n  heads: {a: 4}\n").error() ==
        "[c.yaml:2] model.heads: expected a whole number in [1, 4096] or auto; got nested values");
  CHECK(YamlFile("model:\n  final_norm: yes\n").error() ==
        "[c.yaml:2] model.final_norm: expected true or false; got 'yes'");
  CHECK(YamlFile("model:\n  norm: per\n").error() == "[c.yaml:2] model.norm: expected pre or post; got 'per'");
  CHECK(YamlFile("train:\n  max_updates: 2e\n").error() ==
        "[c.yaml:2] train.max_updates: expected updates such as 500, 500u, 100Ku or never (0); got '2e'");
  CHECK(YamlFile("train:\n  save_every: often\n").error() ==
        "[c.yaml:2] train.save_every: expected a period such as 500u, 2e, 10Mt, never (0) or auto; got 'often'");
  CHECK(YamlFile("data:\n  source:\n").error() == "[c.yaml:2] data.source: expected a file suffix; got nothing");
  CHECK(YamlFile("optim:\n  freeze: [[a]]\n").error() ==
        "[c.yaml:2] optim.freeze: expected a list of parameter names with *; got nested values");
}

TEST_CASE("the error for a key without a section names its section, or all sections that have it") {
  CHECK(YamlFile("width: 64\n").error() ==
        "[c.yaml:1] unknown key 'width'; did you mean 'model.width'? Hint: it belongs in the section model");
  CHECK(YamlFile("seed: 1\n").error() ==
        "[c.yaml:1] unknown key 'seed'; did you mean 'train.seed' or 'decode.seed'? Hint: it belongs in the section "
        "train or decode");
  CHECK(YamlFile("model:\n  seed: 1\n").error() ==
        "[c.yaml:2] unknown key 'model.seed'; did you mean 'train.seed' or 'decode.seed'?");
  CHECK(set_error("widht=64") == "[--set widht=64] unknown key 'widht'; did you mean 'model.width'?");
}

TEST_CASE("the error for a misspelled section names the section") {
  CHECK(YamlFile("trian:\n  max_epochs: 3\n").error() == "[c.yaml:1] unknown key 'trian'; did you mean 'train'?");
  CHECK(YamlFile("trian:\n").error() == "[c.yaml:1] unknown key 'trian'; did you mean 'train'?");
  CHECK(YamlFile("training:\n  epochs: 3\n").error() == "[c.yaml:1] unknown key 'training'; did you mean 'train'?");
  CHECK(YamlFile("trian: corpus\n").error() ==
        "[c.yaml:1] unknown key 'trian'; did you mean 'data.train'? Hint: it belongs in the section data");
}

TEST_CASE("the error for a value in place of a section suggests the option of that name") {
  CHECK(YamlFile("train: corpus\n").error() ==
        "[c.yaml:1] train: expected a key below it, such as train.max_updates; got 'corpus'. Hint: did you mean "
        "data.train?");
  CHECK(YamlFile("data:\n  model:\n    width: 64\n").error() ==
        "[c.yaml:2] expected an option of the section data; got the section model. Hint: indent both sections equally");
}

TEST_CASE("the structure of a file is checked") {
  CHECK(YamlFile("model:\n  heads: 4\n  width: 8\n  heads: 5\n").error() ==
        "[c.yaml:4] expected each key once; got 'model.heads' again, first on line 2");
  CHECK(YamlFile("model:\n  heads: 4\nmodel.heads: 5\n").error() ==
        "[c.yaml:3] expected each key once; got 'model.heads' again, first on line 2");
  CHECK(YamlFile("model:\n  heads: 4\ndata:\nmodel:\n  width: 4\n").error() ==
        "[c.yaml:4] expected each key once; got 'model' again, first on line 1");
  CHECK(YamlFile("model: 3\n").error() == "[c.yaml:1] model: expected a key below it, such as model.width; got '3'");
  CHECK(YamlFile("- a\n").error() == "[c.yaml:1] expected sections such as 'data:' and 'model:'; got a list");
  CHECK(YamlFile("? [a]\n: 1\n").error() == "[c.yaml:1] expected the name of an option; got a list");
  CHECK(YamlFile("model:\n  heads: 4\n---\nmodel:\n").error() == "[c.yaml:4] expected one YAML document; got 2");
  CHECK(YamlFile("model:\n  heads: ]\n").error().starts_with("[c.yaml:2] expected YAML; got "));
  CHECK(YamlFile("model:\n  heads: " + std::string(5000, '[') + std::string(5000, ']') + "\n")
            .error()
            .starts_with("[c.yaml:2] expected sections with options below them; got more than "));
  CHECK(YamlFile("data:\n  train: \xFF\n").error() == "[c.yaml:2] expected text in UTF-8; got invalid UTF-8");
  CHECK(YamlFile("data:\n  # \xFF\n").error() == "[c.yaml:2] expected text in UTF-8; got invalid UTF-8");
  CHECK(set_error("data.train=\xFF") ==
        "[--set data.train=\xFF] data.train: expected text in UTF-8; got invalid UTF-8");
  CHECK(complaint_of([] { parse_config(std::string("data:\n  # \0\n", 11), "c"); }, 2) ==
        "[c:2] expected text in UTF-8; got a NUL byte");
  for (const char* value : {"\"a\\0b\"", "\"a\\x00b\"", "[b, \"\\u0000\"]"})
    CHECK(YamlFile(fmt::format("data:\n  train: {}\n", value)).error() ==
          "[c.yaml:2] data.train: expected text in UTF-8; got a NUL byte");
  CHECK(YamlFile("data:\n\ttrain: a\n").error().starts_with("[c.yaml:2] expected spaces for indentation; "));
}

TEST_CASE("a file that cannot be read is named") {
  const TemporaryFolder folder;
  const std::string path = folder.path().string();
  CHECK(complaint_of([&] { load_config(path); }, 1) ==
        "[" + path + "] expected a file; got a directory. Hint: name a file in it");
  CHECK(complaint_of([&] { load_config(path + "/none.yaml"); }, 1) ==
        "[" + path +
            "/none.yaml] cannot open the file: No such file or directory. Hint: check the path and its permissions");
}

TEST_CASE("text without a file is read the same, and its errors name the given place") {
  CHECK(parse_config("model:\n  width: 64\n", "here").model.transformer.stack.width == 64);
  CHECK(complaint_of([] {
          parse_config("model:\n  width: x\n", "here");
        }).starts_with("[here:2] model.width: expected "));
}

TEST_CASE("errors of --set show the option") {
  CHECK(set_error("model.dropout=1,5") ==
        "[--set model.dropout=1,5] model.dropout: expected a number in [0, 1) or auto; got '1,5'");
  CHECK(set_error("model.hedas=4") == "[--set model.hedas=4] unknown key 'model.hedas'; did you mean 'model.heads'?");
  CHECK(set_error("model.heads") == "[--set model.heads] expected section.key=value; got 'model.heads'");
  for (const char* set : {"model.heads = 4", "model.heads =4", "model.heads= 4"})
    CHECK(set_error(set) ==
          fmt::format("[--set {0}] expected section.key=value without spaces around =; got '{0}'", set));
  CHECK(set_error("model=3") == "[--set model=3] model: expected a key below it, such as model.width; got '3'");
  CHECK(set_error("heads=4") == "[--set heads=4] unknown key 'heads'; did you mean 'model.heads'?");
}

TEST_CASE("the normalization must be one that sentencepiece has") {
  for (const char* rule : {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"})
    CHECK(load_config("", {std::string("data.normalization=") + rule}).data.normalization == rule);
  CHECK(set_error("data.normalization=nfc") ==
        "[--set data.normalization=nfc] data.normalization: expected nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf or identity; "
        "got 'nfc'");
}

TEST_CASE("the character coverage must be one that sentencepiece accepts") {
  CHECK(load_config("", {"data.character_coverage=0.98"}).data.character_coverage == 0.98);
  CHECK(set_error("data.character_coverage=0.97") ==
        "[--set data.character_coverage=0.97] data.character_coverage: expected a number in [0.98, 1]; got '0.97'");
}

TEST_CASE("every numeric option refuses huge numbers and non-numbers, and names itself") {
  int numeric = 0;
  for (const auto& section : option_sections())
    for (const auto& option : section.options) {
      const bool is_period = option.accepts.find("such as ") != std::string::npos;
      if (!is_period && option.accepts.find(" number in ") == std::string::npos) continue;
      ++numeric;
      const std::string key = section.name + "." + option.name;
      for (const char* bad : {"NaN", "nan", "inf", "-inf", "", "1,5", "1e308", "99999999999999999999", "-2", "x"}) {
        CAPTURE(key);
        CAPTURE(bad);
        CHECK(set_error(key + "=" + bad)
                  .starts_with(fmt::format("[--set {0}={1}] {0}: expected {2}; got '{1}'", key, bad, option.accepts)));
      }
    }
  CHECK(numeric > 45);
}

TEST_CASE("never is another spelling of 0, and is written as 0") {
  const std::set<std::string> takes_never{
      "train.max_updates", "train.max_epochs", "train.max_minutes", "train.validate_every", "train.save_every",
      "train.log_every",   "train.patience",   "runtime.timeout",   "data.max_ratio",       "optim.clip_norm"};
  std::set<std::string> found;
  for (const auto& section : option_sections())
    for (const auto& option : section.options) {
      const std::string key = section.name + "." + option.name;
      CAPTURE(key);
      CHECK(option.help.find("0: never") == std::string::npos);  // such options take the word
      if (option.accepts.find("never (0)") == std::string::npos) continue;
      found.insert(key);
      const Config word = load_config("", {key + "=never"}), zero = load_config("", {key + "=0"});
      CHECK(dump(word) == dump(zero));
      CHECK(option.text(word) == "0");
      CHECK(dump(load_config("", {key + "=Never"})) == dump(zero));
      CHECK_FALSE(set_error(key + "=nevermore").empty());
    }
  CHECK(found == takes_never);
  CHECK(YamlFile("train:\n  patience: never\n").load().train.patience == 0);
}

TEST_CASE("a dump reads back to an equal configuration, byte for byte") {
  const std::vector<std::string> sets{"data.train=/a b/\"c\"\\:# é",
                                      "data.source=no",
                                      "data.unk_id=-1",
                                      "model.attention_dropout=0.3",
                                      "model.norm_epsilon=1e-12",
                                      "optim.freeze=*bias,encoder.*, null",
                                      "optim.lr=0.30000000000000004",
                                      "train.max_updates=12345",
                                      "train.save_every=0.25e",
                                      "train.log_every=0",
                                      "runtime.gemm=onednn"};
  const Config config = load_config("", sets);
  const std::string text = dump(config);
  const Config again = YamlFile(text).load();
  CHECK(dump(again) == text);
  CHECK(again.data.train == config.data.train);
  CHECK(again.optim.freeze == config.optim.freeze);
  CHECK(again.optim.schedule.lr == config.optim.schedule.lr);
  CHECK(again.train.save_every == config.train.save_every);
  CHECK(again.model.attention_dropout == 0.3);
  CHECK(text != dump(Config{}));
  CHECK(text.find("  norm_epsilon: 1e-12 ") != std::string::npos);
}

TEST_CASE("every option has its own name, help, and a default that it accepts") {
  std::set<std::string> keys;
  for (const auto& section : option_sections())
    for (const auto& option : section.options) {
      const std::string key = section.name + "." + option.name;
      CAPTURE(key);
      CHECK(keys.insert(key).second);
      CHECK_FALSE(option.help.empty());
      CHECK(option.help.find('\n') == std::string::npos);
    }
  CHECK(keys.size() >= 98);
  CHECK(dump(YamlFile(dump(Config{})).load()) == dump(Config{}));
}

TEST_CASE("every choice has as many names as enumerators, in their order") {
  const Config c = load_config("", {"data.tokenizer=sentencepiece",
                                    "data.sentencepiece_model=unigram",
                                    "data.invalid_utf8=replace",
                                    "data.batch_rule=sentences",
                                    "model.similarity=additive",
                                    "model.norm=post",
                                    "model.norm_kind=rms",
                                    "model.norm_affine=none",
                                    "model.epsilon_place=outside",
                                    "model.activation=geglu",
                                    "model.positions=alibi",
                                    "model.sinusoid=raw_index",
                                    "model.tied=embeddings",
                                    "model.attention_bias=none",
                                    "model.init=normal",
                                    "optim.name=adamw",
                                    "optim.schedule=plateau",
                                    "train.metric=exact_match",
                                    "decode.length_penalty=gnmt",
                                    "runtime.gemm=onednn"});
  CHECK(c.data.tokenizer == DataConfig::Tokenizer::sentencepiece);
  CHECK(c.data.sentencepiece_model == SubwordModel::unigram);
  CHECK(c.data.reading.text.invalid_utf8 == InvalidUtf8::replace);
  CHECK(c.data.batches.rule == BatchRule::sentences);
  CHECK(c.model.transformer.stack.similarity == Similarity::additive);
  CHECK(c.model.transformer.stack.norm == NormPlace::post);
  CHECK(c.model.transformer.stack.norm_kind == NormKind::rms);
  CHECK(c.model.transformer.stack.norm_affine == NormAffine::none);
  CHECK(c.model.transformer.stack.epsilon_place == EpsilonPlace::outside);
  CHECK(c.model.transformer.stack.activation == Activation::geglu);
  CHECK(c.model.positions == ModelConfig::Positions::alibi);
  CHECK(c.model.transformer.sinusoid == Sinusoid::raw_index);
  CHECK(c.model.transformer.tied == Tied::embeddings);
  CHECK(c.model.transformer.stack.attention_bias == AttentionBias::none);
  CHECK(c.model.init == ModelConfig::Init::normal);
  CHECK(c.optim.name == OptimConfig::Name::adamw);
  CHECK(c.optim.schedule.kind == ScheduleOptions::Kind::plateau);
  CHECK(c.train.metric == TrainConfig::Metric::exact_match);
  CHECK(c.decode.length_penalty == LengthPenalty::gnmt);
  CHECK(c.runtime.gemm == RuntimeConfig::Gemm::onednn);
}

TEST_CASE("options that must fit together are checked together") {
  CHECK(check_error({}) == "no error");
  CHECK(check_error({"data.train="}) ==
        "[data.train] expected a training corpus; got nothing. Hint: data.train=toy:50000 needs no files");
  CHECK(check_error({"data.train=toy:many"}) == "[data.train] expected toy:PAIRS such as toy:50000; got 'toy:many'");
  CHECK(check_error({"data.valid=toy:0"}) == "[data.valid] expected toy:PAIRS such as toy:50000; got 'toy:0'");
  CHECK(check_error({"data.source_column=1"}) ==
        "[data.target_column] expected a column other than data.source_column; got 1 for both");
  CHECK(check_error({"data.bos_id=3"}) == "[data.eos_id] expected a unique id; got 3, as data.bos_id");
  CHECK(check_error({"data.bos_id=1"}) == "no error");  // padding may start the decoder
  CHECK(check_error({"data.bos_id=1", "data.unk_id=1"}) == "[data.pad_id] expected a unique id; got 1, as data.unk_id");
  CHECK(check_error({"data.bos_id=1", "data.eos_id=1"}) == "[data.eos_id] expected a unique id; got 1, as data.pad_id");
  CHECK(check_error({"data.bos_id=3"}) == "[data.eos_id] expected a unique id; got 3, as data.bos_id");
  CHECK(check_error({"data.pad_id=9000"}) == "[data.pad_id] expected an id below data.vocab_size (8000); got 9000");
  CHECK(check_error({"data.unk_id=-1", "data.tokenizer=words"}) == "no error");
  CHECK(check_error({"data.unk_id=-1"}) ==
        "[data.unk_id] expected at least 0 with data.tokenizer: sentencepiece, which needs <unk>; got -1");
  CHECK(check_error({"model.heads=3"}) ==
        "[model.heads] expected a divisor of model.width (256); got 3. Hint: 2 and 4 divide it");
  CHECK(check_error({"model.heads=300"}) ==
        "[model.heads] expected a divisor of model.width (256); got 300. Hint: 256 divides it");
  CHECK(check_error({"model.width=255", "model.heads=5"}) ==
        "[model.width] expected an even number with model.positions: sinusoidal; got 255. Hint: use 256, or "
        "model.positions: learned");
  CHECK(check_error({"model.max_positions=255"}) ==
        "[model.max_positions] expected at least data.max_length (256); got 255");
  CHECK(check_error({"data.shared_vocabulary=false"}) ==
        "[model.tied] expected none or output with data.shared_vocabulary: false; got all. Hint: embeddings of two "
        "vocabularies cannot be shared");
  CHECK(check_error({"data.shared_vocabulary=false", "model.tied=embeddings"}) ==
        "[model.tied] expected none or output with data.shared_vocabulary: false; got embeddings. Hint: embeddings of "
        "two vocabularies cannot be shared");
  CHECK(check_error({"model.heads=3", "model.head_width=50"}) == "no error");
  CHECK(check_error({"model.feed_forward=0"}) == "no error");
  CHECK(check_error({"model.feed_forward=0", "model.activation=gelu"}) ==
        "[model.activation] expected relu, the default, with model.feed_forward: 0, which has no activation; got gelu. "
        "Hint: raise model.feed_forward");
  CHECK(check_error({"model.feed_forward=0", "model.activation_dropout=0.1"}) ==
        "[model.activation_dropout] expected 0 or null with model.feed_forward: 0, which has no activation; got 0.1");
  CHECK(check_error({"decode.sample=true", "decode.beam=4"}) ==
        "[decode.beam] expected 1 with decode.sample: true; got 4. Hint: a sample is a single draw, not a search");
  CHECK(check_error({"decode.sample=true", "decode.top_k=4", "decode.top_p=0.5"}) == "no error");
  CHECK(check_error({"decode.top_k=4"}) ==
        "[decode.top_k] expected 0 without decode.sample: true or decode.mbr; got 4");
  CHECK(check_error({"decode.top_p=0.5"}) ==
        "[decode.top_p] expected 1 without decode.sample: true or decode.mbr; got 0.5");
  CHECK(check_error({"decode.mbr=8", "decode.beam=4", "decode.top_k=4", "decode.top_p=0.5"}) == "no error");
  CHECK(
      check_error({"decode.mbr=8", "decode.sample=true"}) ==
      "[decode.sample] expected false with decode.mbr: 8; got true. Hint: decode.mbr draws samples itself and selects "
      "one");
  CHECK(check_error({"optim.warmup=0"}) ==
        "[optim.warmup] expected at least 1 update with optim.schedule: inverse_sqrt; got 0");
  CHECK(check_error({"optim.warmup=0", "optim.schedule=noam"}) ==
        "[optim.warmup] expected at least 1 update with optim.schedule: noam; got 0");
  CHECK(check_error({"optim.schedule=cosine"}) ==
        "[optim.total_updates] expected more than optim.warmup (4000) with optim.schedule: cosine; got 0");
  CHECK(check_error({"optim.schedule=linear", "optim.total_updates=5000"}) == "no error");
  CHECK(check_error({"optim.schedule=plateau", "train.validate_every=0"}) ==
        "[optim.schedule] expected data.valid and train.validate_every above 0 with plateau; got no validation");
  CHECK(check_error({"optim.min_lr=0.01"}) == "[optim.min_lr] expected at most optim.lr (0.001); got 0.01");
  CHECK(check_error({"optim.warmup_init_lr=0.01"}) ==
        "[optim.warmup_init_lr] expected at most optim.lr (0.001); got 0.01");
  CHECK(check_error({"train.max_updates=0"}) ==
        "[train.max_updates] expected train.max_updates, train.max_epochs or train.max_minutes above 0; got none. "
        "Hint: without a limit, training never ends");
  CHECK(check_error({"train.max_updates=0", "train.max_minutes=0.5"}) == "no error");
  CHECK(check_error({"train.metric=bleu", "train.decode_validation=false"}) ==
        "[train.metric] expected loss or perplexity, because train.decode_validation: false leaves out the "
        "translations that bleu needs; got bleu");
  CHECK(check_error({"data.train=a", "train.patience=3"}) ==
        "[train.patience] expected 0 without validation; got 3. Hint: set data.valid and train.validate_every");
  CHECK(check_error({"decode.max_length_factor=0", "decode.max_length_extra=0"}) ==
        "[decode.max_length_extra] expected at least 1 with decode.max_length_factor: 0; got 0");
}

TEST_CASE("allowed but doubtful values give warnings") {
  CHECK(warnings({}).empty());
  const auto warned = [](std::vector<std::string> sets, const std::string& start) {
    const auto list = warnings(std::move(sets));
    return list.size() == 1 && list[0].starts_with(start);
  };
  CHECK(warned({"model.norm=post", "optim.schedule=constant", "optim.warmup=0"},
               "model.norm: post with optim.lr 0.001 and no warm-up"));
  CHECK(warnings({"model.norm=post"}).empty());
  CHECK(warned({"optim.weight_decay=0.1"}, "optim.weight_decay with adam"));
  CHECK(warned({"data.train=a"}, "data.valid is empty"));
  CHECK(warned({"data.train=a", "data.valid=b", "data.target=en"}, "data.source and data.target are the same"));
  CHECK(warned({"train.save_every=0"}, "train.save_every is 0"));
}

TEST_CASE("the optimizer's epochs are converted to updates once the corpus is known") {
  CHECK(load_config("", {"optim.warmup=2e"}).optim.warmup == Period{2, Period::Unit::epochs});
  CHECK(dump(load_config("", {"optim.warmup=300u"})) == dump(load_config("", {"optim.warmup=300"})));
  CHECK(dump(load_config("", {"optim.warmup=1K"})).find("  warmup: 1000  ") != std::string::npos);
  CHECK(check_error({"optim.schedule=cosine", "optim.warmup=2e", "optim.total_updates=2e"}) ==
        "[optim.total_updates] expected more than optim.warmup (2) with optim.schedule: cosine; got 2");
  CHECK(check_error({"optim.schedule=cosine", "optim.warmup=2e"}) ==
        "[optim.total_updates] expected more than optim.warmup (2) with optim.schedule: cosine; got 0");
  CHECK(check_error({"optim.schedule=cosine", "optim.total_updates=20e"}) == "no error");
  CHECK(set_error("optim.warmup=2t").ends_with(", epochs such as 2e or auto; got '2t'"));
}

TEST_CASE("on resume only limits, periods and the runtime may change") {
  const Config old;
  for (const char* set : {"train.max_updates=5", "train.max_epochs=5", "train.max_minutes=5", "train.validate_every=5u",
                          "train.save_every=2e", "train.log_every=0", "train.tensorboard=true", "train.precision=bf16",
                          "runtime.threads=8", "runtime.gemm=eigen"}) {
    CAPTURE(set);
    CHECK(complaint_of([&] { check_resume(old, load_config("", {set})); }) == "no error");
  }
  CHECK(complaint_of([&] { check_resume(old, load_config("", {"model.width=512"})); }) ==
        "[model.width] expected 256, as when the run was started; got 512. Hint: on --resume only train.max_*, "
        "train.patience, train.precision, train.*_every, train.tensorboard, train.exportable, "
        "data.prepare_above, data.cache and runtime.* may change; "
        "start a new run for the rest. Edit decode.* in the run's config.yaml for translation");
  int fixed = 0;
  for (const auto& section : option_sections())
    for (const auto& option : section.options) {
      if (option.accepts != "true or false") continue;
      const std::string key = section.name + "." + option.name;
      if (key == "train.tensorboard") continue;
      const std::string other = option.text(old) == "true" ? "false" : "true";
      CHECK(
          complaint_of([&] { check_resume(old, load_config("", {key + "=" + other})); }).starts_with("[" + key + "]"));
      ++fixed;
    }
  CHECK(fixed > 8);
}

TEST_CASE("the reference page has a row for every option") {
  const std::string page = options_page();
  CHECK(page == options_page());
  CHECK(page.find(
            "| `model.heads` | `4` | a whole number in [1, 4096] or auto | attention heads H; must divide width unless "
            "head_width is set |\n") != std::string::npos);
  std::size_t rows = 0;
  for (const auto& section : option_sections()) {
    CHECK(page.find("\n## " + section.name + ": ") != std::string::npos);
    rows += section.options.size();
  }
  std::size_t found = 0;
  for (std::size_t at = 0; (at = page.find("\n| `", at)) != page.npos; ++at) ++found;
  CHECK(found == rows);
  CHECK(page.find("\\<unk>") != std::string::npos);
}
