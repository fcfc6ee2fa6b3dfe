#include "config/foreign_names.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "base/check.h"
#include "config/config.h"
#include "config/unknown_name.h"
#include "tests/config/unknown_text.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using glossa::testing::error_of;
using glossa::testing::unknown_text;

namespace {

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words{""};
  for (const char c : text)
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

struct OwnNames {
  std::set<std::string> sections, keys, options;  // options without their sections
};

OwnNames own_names() {
  OwnNames own;
  for (const OptionSection& section : option_sections()) {
    own.sections.insert(section.name);
    for (const auto& option : section.options) {
      own.keys.insert(section.name + "." + option.name);
      own.options.insert(option.name);
    }
  }
  return own;
}

/// Keys such as data.train in a meaning.
std::vector<std::string> keys_in(std::string_view meaning, const std::set<std::string>& sections) {
  std::vector<std::string> keys;
  for (std::string word : words_in(meaning)) {
    while (!word.empty() && std::ispunct(static_cast<unsigned char>(word.back()))) word.pop_back();
    if (const auto dot = word.find('.'); dot != word.npos && sections.contains(word.substr(0, dot)))
      keys.push_back(word);
  }
  return keys;
}

const CommandWords train_command{
    .command = "glossa train", .commands = {}, .options = {"help", "run", "resume", "dump-config", "set"}};

}  // namespace

TEST_CASE("every row of foreign names leads to keys that exist, and no foreign name is glossa's own") {
  const OwnNames own = own_names();
  std::set<std::string> seen;
  for (const ForeignNames& row : foreign_names()) {
    CAPTURE(row.meaning);
    if (!row.is_sentence())
      CHECK((own.keys.contains(std::string(row.meaning)) || own.sections.contains(std::string(row.meaning))));
    for (const std::string& key : keys_in(row.meaning, own.sections)) {
      CAPTURE(key);
      CHECK(own.keys.contains(key));
    }
    CHECK_FALSE(row.meaning.ends_with('.'));
    for (const std::string& name : words_in(row.names)) {
      CAPTURE(name);
      CHECK_FALSE(name.empty());
      const auto is_letter = [](char c) { return c == '_' || c == '.' || std::islower(c) || std::isdigit(c); };
      CHECK(std::ranges::all_of(name, is_letter));
      CHECK_FALSE(own.options.contains(name));
      CHECK_FALSE(own.sections.contains(name));
      CHECK(seen.insert(name).second);
      CHECK(find_foreign(name) == &row);
      if (name.find('.') == name.npos) CHECK(find_foreign("other." + name) == &row);
    }
  }
  CHECK_GT(seen.size(), 250);
  CHECK(find_foreign("lr") == nullptr);
  CHECK(find_foreign("") == nullptr);
}

TEST_CASE("the options of other programs lead to a key, in YAML, in --set and on the command line") {
  for (const char* name :
       // transformers: TrainingArguments, MarianConfig and generate
       {"per_device_train_batch_size", "num_train_epochs", "learning_rate", "warmup_steps", "label_smoothing_factor",
        "gradient_accumulation_steps", "weight_decay", "max_grad_norm", "save_steps", "eval_steps", "logging_steps",
        "seed", "fp16", "bf16", "output_dir", "d_model", "encoder_layers", "decoder_layers", "encoder_attention_heads",
        "encoder_ffn_dim", "dropout", "num_beams", "length_penalty", "max_length", "max_position_embeddings",
        // PyTorch
        "lr", "batch_size", "hidden_size", "num_layers", "nhead", "dim_feedforward", "norm_first", "epochs", "device",
        // Marian
        "mini-batch", "after-epochs", "after", "dim-emb", "enc-depth", "dec-depth", "transformer-heads",
        "transformer-dim-ffn", "learn-rate", "lr-warmup", "label-smoothing", "clip-norm", "early-stopping",
        "valid-freq", "save-freq", "disp-freq", "beam-size", "normalize", "optimizer-delay", "cpu-threads", "devices",
        "vocabs", "train-sets", "valid-sets", "exponential-smoothing", "workspace", "tied-embeddings-all",
        // fairseq
        "arch", "max-tokens", "max-epoch", "max-update", "clip-norm", "update-freq", "encoder-embed-dim", "beam",
        "lenpen", "patience", "share-all-embeddings", "save-interval-updates", "source-lang",
        // JoeyNMT and OpenNMT
        "validation_freq", "logging_freq", "batch_multiplier", "early_stopping_metric", "model_dir", "use_cuda",
        "train_steps", "accum_count", "word_vec_size", "report_every", "world_size", "gpus", "lang"}) {
    CAPTURE(name);
    std::string key(name);
    std::ranges::replace(key, '-', '_');
    const bool is_explained = !hint_about(key, "").empty();
    CHECK((is_explained != !keys_meant(key).empty()));
    CHECK(keys_meant("train." + key) == keys_meant(key));
    const std::string text = unknown_text(train_command, fmt::format("--{}", name), "7");
    CAPTURE(text);
    CHECK(text.find(foreign_options(name) == "run" ? "; did you mean '--run'?"
                    : is_explained                 ? "'. Hint: "
                                                   : "; did you mean '--set ") != std::string::npos);
    CHECK(text.find("--help") == std::string::npos);
  }
}

TEST_CASE("the message about a foreign name has its key or an explanation") {
  CHECK_EQ(unknown_text(train_command, "--epochs", "3"),
           "unknown option '--epochs'; did you mean '--set train.max_epochs=3'?");
  CHECK_EQ(unknown_text(train_command, "--learning-rate=0.1", ""),
           "unknown option '--learning-rate'; did you mean '--set optim.lr=0.1'?");
  CHECK_EQ(unknown_text(train_command, "--device", "cuda"),
           "unknown option '--device'. Hint: glossa runs on the CPU; runtime.threads is the number of threads");
  CHECK_EQ(unknown_text(train_command, "--fp16", "VALUE"),
           "unknown option '--fp16'. Hint: train.precision may be bf16; decode.precision and --precision of "
           "commands that translate may be bf16 or int8");
  CHECK_EQ(unknown_text(train_command, "--lang", "fr"),
           "unknown option '--lang'. Hint: data.source and data.target are the languages");
  CHECK_EQ(unknown_text(train_command, "epochs=3", ""),
           "unknown argument 'epochs=3'; did you mean '--set train.max_epochs=3'?");
  const CommandWords inspect{.command = "glossa inspect", .commands = {}, .options = {"help", "json"}};
  CHECK_EQ(unknown_text(inspect, "--epochs", "3"), "unknown option '--epochs'. Hint: glossa inspect --help lists them");
}

TEST_CASE("a foreign name may mean something else in a section") {
  using Keys = std::vector<std::string>;
  CHECK_EQ(keys_meant("data.normalize"), Keys{"data.normalization"});
  CHECK_EQ(keys_meant("decode.normalize"), Keys{"decode.alpha"});
  CHECK_EQ(keys_meant("optim.type"), Keys{"optim.name"});
  CHECK(hint_about("data.type", "").starts_with("a corpus is read by its name"));
  CHECK(hint_about("model.type", "").starts_with("glossa trains encoder-decoder Transformers only"));
  CHECK_EQ(keys_meant("decode.max_length"), Keys{});
  CHECK(hint_about("decode.max_length", "").starts_with("decode.max_length_factor and decode.max_length_extra limit"));
  CHECK_EQ(keys_meant("max_length"), Keys{"data.max_length"});
}

TEST_CASE("a number as the length penalty is decode.alpha") {
  CHECK_EQ(unknown_text(train_command, "--length_penalty", "0.6"),
           "unknown option '--length_penalty'; did you mean '--set decode.alpha=0.6'?");
  CHECK_EQ(unknown_text(train_command, "--length-penalty", "gnmt"),
           "unknown option '--length-penalty'; did you mean '--set decode.length_penalty=gnmt'?");
  CHECK_EQ(unknown_text(train_command, "--decode.length_penalty", "gnmt"),
           "unknown option '--decode.length_penalty'; did you mean '--set decode.length_penalty=gnmt'?");
  CHECK_EQ(unknown_text(train_command, "length_penalty=0.6", ""),
           "unknown argument 'length_penalty=0.6'; did you mean '--set decode.alpha=0.6'?");
  const std::string error = error_of<Error>([] { load_config("", {"decode.length_penalty=0.6"}); });
  CHECK(error.ends_with("got '0.6'. Hint: did you mean decode.alpha?"));
}

TEST_CASE("options of other programs lead to options of the command, if it has them") {
  const CommandWords evaluate{
      .command = "glossa evaluate", .commands = {}, .options = {"source", "reference", "test", "set"}};
  const CommandWords score{.command = "glossa score", .commands = {}, .options = {"source", "target", "set"}};
  const CommandWords translate{.command = "glossa translate", .commands = {}, .options = {"input", "output", "set"}};
  const CommandWords bench{.command = "glossa-bench step", .commands = {}, .options = {"config", "threads"}};
  const CommandWords export_command{
      .command = "glossa export", .commands = {}, .options = {"marian", "huggingface", "force"}};
  const auto meant = [](const CommandWords& command, const char* option, const char* value = "x") {
    const std::string text = unknown_text(command, option, value);
    const auto at = text.find("; did");
    return at == text.npos ? text.substr(text.find("'. ") + 3) : text.substr(at + 2);
  };
  CHECK_EQ(meant(train_command, "--output-dir"), "did you mean '--run'?");
  CHECK_EQ(meant(train_command, "--output_dir=x"), "did you mean '--run'?");
  CHECK_EQ(meant(evaluate, "--src"), "did you mean '--source'?");
  CHECK_EQ(meant(evaluate, "--tgt"), "did you mean '--reference'?");
  CHECK_EQ(meant(score, "--tgt"), "did you mean '--target'?");
  CHECK_EQ(meant(translate, "--src"), "did you mean '--input'?");
  CHECK_EQ(meant(bench, "--num_workers", "2"), "did you mean '--threads'?");
  CHECK_EQ(meant(train_command, "--num_workers", "2"), "did you mean '--set runtime.threads=2'?");
  CHECK(meant(train_command, "--src").starts_with("Hint: data.train and data.valid name two files"));
  CHECK(meant(evaluate, "--hyp").starts_with("Hint: evaluate translates the source itself"));
  CHECK_EQ(meant(export_command, "--format", "marian"), "did you mean '--marian'?");
  CHECK_EQ(meant(train_command, "--set"), "did you mean 'glossa train --set ...'?");  // before the command
  CHECK_EQ(foreign_options("zzz"), "");
}

TEST_CASE("names of other programs are explained in files and in --set") {
  const auto in_file = [](const char* yaml) { return error_of<Error>([&] { parse_config(yaml, "c.yaml"); }); };
  const auto in_set = [](const char* set) { return error_of<Error>([&] { load_config("", {set}); }); };
  CHECK_EQ(in_file("train:\n  epochs: 3\n"), "[c.yaml:2] unknown key 'train.epochs'; did you mean 'train.max_epochs'?");
  CHECK_EQ(in_file("learning_rate: 3\n"),
           "[c.yaml:1] unknown key 'learning_rate'; did you mean 'optim.lr'? Hint: it belongs in the section optim");
  CHECK_EQ(in_set("optim.learning_rate=1"),
           "[--set optim.learning_rate=1] unknown key 'optim.learning_rate'; did you mean 'optim.lr'?");
  CHECK_EQ(in_set("model.num_layers=2"),
           "[--set model.num_layers=2] unknown key 'model.num_layers'. Hint: model.encoder_layers and "
           "model.decoder_layers are the numbers of layers");
  CHECK_EQ(in_file("device: cuda\n"),
           "[c.yaml:1] unknown key 'device'. Hint: glossa runs on the CPU; runtime.threads is the number of threads");
}
