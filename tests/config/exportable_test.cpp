// Options that an export needs: each obstacle is found, and the remedies in the error remove all of them.
#include "config/exportable.h"

#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <random>
#include <regex>

#include "base/check.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

using Strings = std::vector<std::string>;

const std::vector<ExportFormat> both{ExportFormat::huggingface, ExportFormat::marian};

Config recipe(const std::string& name, const Strings& sets = {}) {
  return load_config(GLOSSA_SOURCE_DIR "/recipes/" + name + ".yaml", sets);
}

Strings keys_of(const std::vector<OptionDifference>& obstacles) {
  Strings keys;
  for (const OptionDifference& obstacle : obstacles) keys.push_back(obstacle.key);
  return keys;
}

Strings keys_of(const Config& config, ExportFormat format) { return keys_of(export_obstacles(config, format)); }

std::string refusal(const Config& config, const std::vector<ExportFormat>& formats,
                    const std::optional<VocabularySizes>& sizes = {}) {
  return error_of<Error>([&] { check_exportable("export", config, formats, sizes, "stay"); });
}

/// The settings KEY=VALUE that a hint recommends.
Strings recommended(const std::string& error) {
  static const std::regex setting("--set ([a-z_.]+=[^ ,\\n]+)");
  Strings sets;
  for (std::sregex_iterator at(error.begin(), error.end(), setting), end; at != end; ++at) sets.push_back(at->str(1));
  return sets;
}

}  // namespace

TEST_CASE("the recipe for a small pair exports to Marian as it is, and its head names what Hugging Face needs") {
  const Config config = recipe("small-pair");
  CHECK(keys_of(config, ExportFormat::marian).empty());
  const Strings missing = keys_of(config, ExportFormat::huggingface);
  CHECK(missing == Strings{"model.norm", "model.final_norm"});
  const std::string text = read_bytes(GLOSSA_SOURCE_DIR "/recipes/small-pair.yaml"),
                    head = text.substr(0, text.find("\ndata:"));
  const Strings sets = recommended(head.substr(head.find("MarianMTModel")));
  CHECK(sets == Strings{"model.norm=post", "model.final_norm=false"});
  CHECK(keys_of(recipe("small-pair", sets), ExportFormat::huggingface).empty());
  for (const ExportFormat format : both) CHECK(keys_of(recipe("marian"), format).empty());
}

TEST_CASE("an error lists every obstacle of every format, with its value, the value needed and the ways out") {
  const Config small = recipe("small-pair", {"data.bos_id=2", "model.sinusoid=interleaved"});
  CHECK(refusal(small, {ExportFormat::huggingface}) ==
        "[export] expected options that Hugging Face's MarianMTModel can express; got data.bos_id: 2 (needs 1), "
        "model.norm: pre (needs post), model.final_norm: true (needs false). Hint: train with --set data.bos_id=1 "
        "--set model.norm=post --set model.final_norm=false, or stay");
  CHECK(refusal(small, both) ==
        "[export] expected options that Hugging Face's MarianMTModel and Marian can express; got data.bos_id: 2 (needs "
        "1), model.norm: pre (needs post), model.final_norm: true (needs false) and data.bos_id: 2 (needs 1), "
        "model.sinusoid: interleaved (needs halves). Hint: train with --set data.bos_id=1 --set model.norm=post --set "
        "model.final_norm=false --set model.sinusoid=halves, or stay");
  CHECK(refusal(recipe("small-pair"), {ExportFormat::huggingface})
            .ends_with("model.final_norm=false, or choose Marian, or stay"));
  CHECK(refusal(recipe("small-pair"), {ExportFormat::marian}).empty());
  CHECK(refusal(recipe("small-pair"), {ExportFormat::none}).empty());
  CHECK(refusal(recipe("marian", {"decode.length_penalty=gnmt", "train.warm_start=runs/base"}), {ExportFormat::marian})
            .ends_with("Hint: train the run of train.warm_start with --set decode.length_penalty=power (decode.* may "
                       "also be changed later, in the run's config.yaml), or stay"));
}

TEST_CASE("neither format has grouped queries; groups of single heads are not an obstacle") {
  const std::string heads = std::to_string(recipe("marian").model.transformer.stack.heads);
  for (const ExportFormat format : both) {
    CHECK(keys_of(recipe("marian", {"model.key_heads=1"}), format) == Strings{"model.key_heads"});
    CHECK(keys_of(recipe("marian", {"model.key_heads=" + heads}), format).empty());
  }
}

TEST_CASE("two vocabularies need the same size for Hugging Face only, once the sizes are known") {
  const Config config = recipe("marian", {"data.shared_vocabulary=false", "model.tied=none"});
  CHECK(refusal(config, both).empty());
  CHECK(refusal(config, both, VocabularySizes{90, 90}).empty());
  CHECK(refusal(config, {ExportFormat::marian}, VocabularySizes{90, 80}).empty());
  const std::string error = refusal(config, {ExportFormat::huggingface}, VocabularySizes{90, 80});
  CHECK_NE(error.find("got data.shared_vocabulary: false (needs true). Hint: "), std::string::npos);
  CHECK_NE(error.find(", or choose Marian, "), std::string::npos);
}

TEST_CASE("train.exportable is checked with the other options, and named") {
  const auto complaint = [](const Strings& sets) {
    return error_of<Error>([&] { validate(recipe("small-pair", sets)); });
  };
  CHECK(complaint({"train.exportable=marian"}).empty());
  const std::string error = complaint({"train.exportable=huggingface"});
  CHECK(error.starts_with("[train.exportable] expected options that Hugging Face's MarianMTModel can express; got "));
  CHECK(error.ends_with(", or choose Marian, or set train.exportable: none"));
  CHECK(complaint({"train.exportable=huggingface", "model.norm=post", "model.final_norm=false"}).empty());
  for (const auto& section : option_sections())
    for (const auto& option : section.options)
      if (option.name == "exportable") CHECK(option.text(Config{}) == "none");
}

TEST_CASE("the recommendation for a run with rotary positions fits together") {
  for (const ExportFormat format : both) {
    Strings sets{"model.positions=rotary", "model.rotary_base=500"};
    for (const std::string& set : recommended(refusal(recipe("marian", sets), {format}))) sets.push_back(set);
    CHECK(error_of<Error>([&] { validate(recipe("marian", sets)); }) == "");
  }
}

TEST_CASE("whatever the options, training with the error's recommendations is exportable") {
  const Strings settings{"data.tokenizer=words",
                         "data.tokenizer=pieces",
                         "data.lowercase=true",
                         "data.source_bos=true",
                         "data.source_eos=false",
                         "data.bos_id=2",
                         "data.unk_id=-1",
                         "decode.length_penalty=gnmt",
                         "decode.length_penalty=none",
                         "model.norm=pre",
                         "model.final_norm=true",
                         "model.norm_kind=rms",
                         "model.norm_epsilon=1e-6",
                         "model.bias=false",
                         "model.epsilon_place=outside",
                         "model.norm_affine=gain",
                         "model.similarity=dot",
                         "model.positions=learned",
                         "model.key_heads=1",
                         "model.positions=rotary",
                         "model.positions=alibi",
                         "model.rotary_base=500",
                         "model.head_width=16",
                         "model.feed_forward=0",
                         "model.attention_bias=none",
                         "model.attention_bias=all",
                         "model.activation=gelu",
                         "model.activation=relu",
                         "model.activation=swiglu",
                         "model.sinusoid=raw_index",
                         "model.sinusoid=sorted",
                         "model.tied=none",
                         "model.scale_embeddings=false"};
  std::mt19937 random(38);
  std::size_t refused = 0;
  for (int round = 0; round < 300; ++round) {
    Strings sets;
    for (const std::string& setting : settings)
      if (random() % 6 == 0) sets.push_back(setting);
    CAPTURE(fmt::format("{}", fmt::join(sets, " ")));
    for (const auto& formats : std::vector<std::vector<ExportFormat>>{{both[0]}, {both[1]}, both}) {
      const std::string error = refusal(recipe("marian", sets), formats);
      for (const ExportFormat format : formats)
        for (const OptionDifference& obstacle : export_obstacles(recipe("marian", sets), format))
          CHECK_NE(error.find(fmt::format("{}: {} (needs {})", obstacle.key, obstacle.before, obstacle.after)),
                   std::string::npos);
      refused += error.empty() ? 0 : 1;
      Strings mended = sets;
      for (const std::string& set : recommended(error)) mended.push_back(set);
      CHECK(refusal(recipe("marian", mended), formats).empty());
    }
  }
  CHECK(refused > 600);
}

TEST_CASE("a line of the log says which exports are possible, and which options prevent the others") {
  const VocabularySizes sizes{1000, 1000};
  CHECK(possible_exports(recipe("marian"), sizes) == "exports: Marian yes, Hugging Face yes");
  CHECK(possible_exports(recipe("marian", {"model.sinusoid=interleaved"}), sizes) ==
        "exports: Marian no, Hugging Face yes; see model.sinusoid");
  CHECK(possible_exports(recipe("toy"), sizes) == "exports: Marian no, Hugging Face no; see data.tokenizer, ...");
}
