// Export and import of runs: safetensors, Hugging Face, Marian.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <filesystem>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

Outcome import_run(const TinyRun& tiny, const std::string& file, const std::string& run, const Strings& more = {}) {
  Strings arguments{"import", tiny / file, tiny / "tiny.yaml", "--run", tiny / run};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return glossa_program(arguments);
}

std::string sha256(const TinyRun& tiny, const std::string& run) {
  return json_object(succeeded(glossa_program({"inspect", tiny / run / "checkpoints/last", "--json"})).out)
      .at("sha256");
}

}  // namespace

TEST_CASE("an exported run is imported unchanged; it translates, evaluates and trains") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  succeeded(glossa_program({"export", tiny / "run", "--safetensors", tiny / "a.safetensors"}));
  succeeded(import_run(tiny, "a.safetensors", "imported"));
  CHECK_EQ(sha256(tiny, "imported"), sha256(tiny, "run"));

  const auto translation = [&](const std::string& run) {
    return succeeded(glossa_program({"translate", tiny / run}, "how are you\n")).out;
  };
  CHECK_EQ(translation("imported"), translation("run"));
  const auto loss = [&](const std::string& run) {
    const Outcome evaluated = succeeded(glossa_program(
        {"evaluate", tiny / run, "--source", tiny / "toy/test.en", "--reference", tiny / "toy/test.hi", "--json"}));
    return json_object(evaluated.out).at("loss");
  };
  CHECK_EQ(loss("imported"), loss("run"));

  // A checkpoint may be named instead of a run; equal weights give equal files.
  succeeded(glossa_program({"export", tiny / "imported/checkpoints/last", "--safetensors", tiny / "b.safetensors"}));
  CHECK(read_bytes(tiny / "b.safetensors") == read_bytes(tiny / "a.safetensors"));
  succeeded(import_run(tiny, "b.safetensors", "again"));
  CHECK_EQ(sha256(tiny, "again"), sha256(tiny, "run"));

  succeeded(tiny.resume("imported", {"train.max_updates=10"}));
  CHECK_EQ(tiny.last_update("imported"), 10);
  CHECK_NE(sha256(tiny, "imported"), sha256(tiny, "run"));
  succeeded(tiny.train("warm", {"train.warm_start=" + (tiny / "again").string(), "train.max_updates=3"}));
}

TEST_CASE("a run is exported, and translates, with its best checkpoint") {
  const TinyRun tiny;
  // No sentence is translated exactly this early: the first validation is the best.
  succeeded(tiny.train("run", {"train.validate_every=5u", "train.metric=exact_match"}));
  succeeded(glossa_program({"export", tiny / "run", "--safetensors", tiny / "a.safetensors"}));
  const auto exported = [&](const std::string& checkpoint) {
    const Outcome outcome = succeeded(
        glossa_program({"export", tiny / "run/checkpoints" / checkpoint, "--safetensors", tiny / "b.safetensors"}));
    CHECK_NE(outcome.out.find(checkpoint == "last" ? ", update 20, to " : ", update 5, to "), std::string::npos);
    return read_bytes(tiny / "b.safetensors");
  };
  CHECK(exported("update-00000005.ckpt") == read_bytes(tiny / "a.safetensors"));
  CHECK_FALSE(exported("last") == read_bytes(tiny / "a.safetensors"));
  succeeded(import_run(tiny, "a.safetensors", "best"));
  const std::string text = read_bytes(tiny / "toy/test.en");
  CHECK_EQ(succeeded(glossa_program({"translate", tiny / "run"}, text)).out,
           succeeded(glossa_program({"translate", tiny / "best"}, text)).out);
}

TEST_CASE("import and train overwrite what a failed attempt left, but never a checkpoint") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"train.max_updates=2"}));
  succeeded(glossa_program({"export", tiny / "run", "--safetensors", tiny / "a.safetensors"}));
  for (const char* run : {"imported", "trained", "named"}) {
    fs::create_directories(tiny.path() / run / "checkpoints");
    fs::copy_file(tiny / "run/config.yaml", tiny.path() / run / "config.yaml");
  }
  succeeded(import_run(tiny, "a.safetensors", "imported"));
  check_refused(import_run(tiny, "a.safetensors", "imported"), 2, {"got one with a run", "--run"});
  succeeded(tiny.train("trained"));

  // The configuration may be the run's own file, which must not be overwritten with another one.
  const Strings own{"train", tiny / "named/config.yaml", "--run", tiny / "named"};
  Strings changed = own, resumed = own;
  changed.insert(changed.end(), {"--set", "train.max_updates=3"});
  resumed.push_back("--resume");
  check_refused(glossa_program(changed), 2, {"named/config.yaml]", "--run"});
  const Outcome afresh = succeeded(glossa_program(resumed));
  CHECK_NE(afresh.err.find("starting afresh"), std::string::npos);
  CHECK_EQ(tiny.hashes("named"), tiny.hashes("run"));
}

TEST_CASE("a model that is trained here is exported, imported, and fine-tuned without repeating its options") {
  const TinyRun tiny;
  const Strings marians{
      "data.tokenizer=sentencepiece", "data.vocab_size=200",   "data.bos_id=1",         "model.norm=post",
      "model.final_norm=false",       "model.activation=silu", "model.sinusoid=halves", "model.tied=output",
      "model.output_bias=true",       "train.max_updates=30"};
  succeeded(tiny.train("run", marians));
  const auto written =
      succeeded(glossa_program({"export", tiny / "run", "--huggingface", tiny / "hf", "--marian", tiny / "marian"}));
  CHECK_NE(written.err.find("config.json cannot express decode.max_length_factor: not exported"), std::string::npos);
  CHECK_EQ(written.err.find("decoder.yml cannot"), std::string::npos);
  const auto translation = [&](const std::string& run) {
    return succeeded(glossa_program({"translate", tiny / run, "--input", tiny / "toy/test.en", "--set",
                                     "decode.search=glossa", "--set", "decode.max_length_factor=2", "--set",
                                     "decode.max_length_extra=10", "--set", "decode.length_penalty=power", "--set",
                                     "decode.alpha=1", "--beam", "2"}))
        .out;
  };
  for (const char* folder : {"hf", "marian"}) {
    const std::string imported = std::string("from-") + folder;
    const Outcome outcome = succeeded(glossa_program({"import", tiny / folder, "--run", tiny / imported}));
    const bool is_reported = outcome.err.find("does not name its languages") != std::string::npos;
    CHECK_EQ(is_reported, folder == std::string("marian"));
    CHECK_EQ(translation(imported), translation("run"));
  }

  const auto named = [&](const char* set) {
    return glossa_program(
        {"import", tiny / "marian", "--run", tiny / "named", "--set", "data.source=en", "--set", set});
  };
  check_refused(named("decode.beam=2"), 2, {"decode.beam=2", "data.source or data.target"});
  CHECK_NE(succeeded(named("data.target=hi")).out.find("translates en to hi"), std::string::npos);
  succeeded(glossa_program({"evaluate", tiny / "named", "--test", tiny / "toy/test"}));

  // A configuration without options of the model.
  write_bytes(tiny / "fine.yaml",
              fmt::format("data: {{train: {0}/toy/train, valid: {0}/toy/valid, source: en, target: hi}}\n"
                          "optim: {{lr: 1e-4, warmup: 2}}\n"
                          "train: {{max_updates: 8, warm_start: {0}/from-hf}}\n",
                          fs::path(tiny / "").string()));
  const auto fine_tune = [&](const std::string& run, const Strings& more) {
    Strings arguments{"train", tiny / "fine.yaml", "--run", tiny / run};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return glossa_program(arguments);
  };
  succeeded(fine_tune("whole", {}));
  succeeded(fine_tune("fine", {"--set", "train.max_updates=3"}));
  fs::rename(tiny / "from-hf", tiny / "gone");  // no longer needed to resume
  CHECK_EQ(fine_tune("other", {}).status, 1);
  succeeded(fine_tune("fine", {"--resume"}));
  CHECK_EQ(tiny.hashes("fine"), tiny.hashes("whole"));
  CHECK_NE(sha256(tiny, "fine"), sha256(tiny, "run"));
  check_refused(glossa_program({"train", tiny / "fine.yaml", "--run", tiny / "gone", "--resume"}), 2, {"[data.train]"});
  check_refused(glossa_program({"export", tiny / "fine", "--huggingface", tiny / "new", "--marian", tiny / "hf"}), 2,
                {"hf]", "new or empty folder"});
  check_refused(glossa_program({"export", tiny / "fine", "--huggingface", tiny / "new", "--marian", tiny / "new"}), 2,
                {"new twice"});
  CHECK_FALSE(fs::exists(tiny / "new"));
  const Outcome doubtful =
      succeeded(fine_tune("doubtful", {"--set", "data.source=hi", "--set", "data.target=en", "--set",
                                       "model.activation=relu", "--set", "train.warm_start=" + (tiny / "gone").string(),
                                       "--set", "model.dropout=0.3", "--allow", "wrong-direction"}));
  for (const char* part : {"translates en to hi", "model.activation is relu, but ", " was trained with silu"})
    CHECK_NE(doubtful.err.find(part), std::string::npos);
  CHECK_EQ(doubtful.err.find("dropout is"), std::string::npos);
  CHECK_EQ(read_bytes(tiny / "whole/train.log").find("was trained with"), std::string::npos);
  succeeded(tiny.train("words", {"train.max_updates=1"}));
  check_refused(
      glossa_program({"export", tiny / "words", "--marian", tiny / "no"}), 2,
      {"[export]", "data.tokenizer: words (needs sentencepiece)", "data.bos_id: 2 (needs 1)", "--safetensors"});
  CHECK_FALSE(fs::exists(tiny / "no"));
}

TEST_CASE("a run that one of two formats cannot express is exported to neither, and refused before training") {
  const TinyRun tiny;
  const Strings marians{"data.tokenizer=sentencepiece", "data.vocab_size=200",    "data.bos_id=1",
                        "data.shared_vocabulary=true",  "model.norm=pre",         "model.final_norm=true",
                        "model.sinusoid=halves",        "train.exportable=marian"};
  succeeded(tiny.train("run", marians));
  check_refused(glossa_program({"export", tiny / "run", "--marian", tiny / "marian", "--huggingface", tiny / "hf"}), 2,
                {"[export]", "model.norm: pre (needs post)", "model.final_norm: true (needs false)", "choose Marian"});
  CHECK_FALSE(fs::exists(tiny / "marian"));
  succeeded(glossa_program({"export", tiny / "run", "--marian", tiny / "marian"}));
  Strings hf = marians;
  hf.back() = "train.exportable=huggingface";
  check_refused(tiny.train("new", hf), 2,
                {"[train.exportable]", "model.norm: pre (needs post)", "model.final_norm: true (needs false)"});
  CHECK_FALSE(fs::exists(tiny / "new"));
}

TEST_CASE("export and import refuse runs, files and options that do not fit") {
  const TinyRun tiny;
  succeeded(tiny.train("run", {"train.max_updates=2"}));
  succeeded(glossa_program({"export", tiny / "run", "--safetensors", tiny / "a.safetensors"}));
  check_refused(glossa_program({"export", tiny / "none", "--safetensors", tiny / "b.safetensors"}), 1, {"none"});
  check_refused(import_run(tiny, "a.safetensors", "run"), 2, {"got one with a run", "--run"});
  check_refused(import_run(tiny, "none.safetensors", "new"), 1, {"none.safetensors", "No such file"});
  check_refused(import_run(tiny, "tiny.yaml", "new"), 1, {"tiny.yaml", "safetensors"});
  check_refused(import_run(tiny, "a.safetensors", "new", {"--set", "model.bias=false"}), 2,
                {"not in the model: ", "linear1.bias"});
  check_refused(import_run(tiny, "a.safetensors", "new", {"--set", "model.encoder_layers=2"}), 2,
                {"missing: ", "encoder.layers.1"});
  check_refused(import_run(tiny, "a.safetensors", "new", {"--set", "train.warm_start=" + (tiny / "run").string()}), 2,
                {"train.warm_start", "expected none"});
  CHECK_FALSE(fs::exists(tiny / "new"));
}

TEST_CASE("a pretrained model is imported with everything it needs, and fine-tuned") {
  const TemporaryFolder folder;
  const std::string model = GLOSSA_SOURCE_DIR "/tests/golden/marian/huggingface", run = folder / "run";
  succeeded(glossa_program({"import", model, "--run", run}));
  const std::string sentence = ">>fra<< the dog sees the cat\n";
  const std::string before = succeeded(glossa_program({"translate", run}, sentence)).out;
  CHECK_FALSE(before.empty());

  std::string pairs;
  for (int i = 0; i < 20; ++i) pairs += "the dog sees the cat\tle chien voit le chat\n";
  const Strings training{"--set", "data.train=" + folder.write("pairs.tsv", pairs),
                         "--set", "train.max_updates=3",
                         "--set", "optim.warmup=1",
                         "--set", "optim.lr=0.1"};
  const auto train = [&](const std::string& into, const Strings& more) {
    Strings arguments{"train", run + "/config.yaml", "--run", into};
    arguments.insert(arguments.end(), training.begin(), training.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return glossa_program(arguments);
  };
  succeeded(train(folder / "tuned", {"--set", "train.warm_start=" + run}));
  CHECK_NE(succeeded(glossa_program({"translate", folder / "tuned"}, sentence)).out, before);

  const auto refused = [](const Outcome& outcome, const std::string& part) {
    CHECK_EQ(outcome.status, 2);
    CHECK_NE(outcome.err.find(part), std::string::npos);
  };
  refused(train(run, {"--resume"}), "an imported pretrained model");
  refused(glossa_program({"import", model, run + "/config.yaml", "--run", folder / "other"}), "no CONFIG");
  refused(glossa_program({"import", model, "--run", folder / "other", "--set", "model.width=8"}), "--set");
  refused(glossa_program({"import", model + "/model.safetensors", "--run", folder / "other"}), "a CONFIG");
  refused(glossa_program({"import", folder.path(), "--run", folder / "other"}), "expected the folder of a pretrained");
}
