// Import and export of runs, as a program that embeds glossa calls them.
#include "exchange/import_run.h"

#include "exchange/export_run.h"
#include "tests/train/trainer_fixture.h"
#include "train/run.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

const std::string huggingface_model = GLOSSA_SOURCE_DIR "/tests/golden/marian/huggingface";
const Settings languages{{"data.source", "en"}, {"data.target", "fi"}};

/// The options that differ from glossa's defaults, by their keys.
std::map<std::string, GivenValue> options_of(const Config& config) {
  std::map<std::string, GivenValue> options;
  for (const auto& [key, usual, value] : differences(Config{}, config)) options.emplace(key, value);
  return options;
}

/// The bytes of the weights of a run.
std::string weights(const TemporaryFolder& folder, const std::string& run) {
  const std::string file = folder / (fs::path(run).filename().string() + ".safetensors");
  export_run(RunName(run), {.safetensors = file});
  return read_bytes(file);
}

}  // namespace

TEST_CASE("a program imports a pretrained model's folder and exports it again") {
  const TemporaryFolder folder;
  const std::string run = folder / "run";
  const Quiet quiet;
  const ImportedRun imported = import_folder(huggingface_model, run, languages);
  CHECK_EQ(imported.source + imported.target, "enfi");
  const LoadedRun loaded = load_run(RunName(run), load_run_config(run));
  CHECK_EQ(loaded.config.data.target, "fi");
  CHECK_EQ(imported.parameters, loaded.model->parameters.count());
  CHECK_EQ(imported.tensors, loaded.model->parameters.parameters().size());
  CHECK(fs::equivalent(imported.checkpoint, fs::path(run) / "checkpoints/last"));

  std::vector<std::string> written;
  const ExportPaths paths{.safetensors = folder / "w", .huggingface = folder / "hf", .marian = folder / "marian"};
  export_run(RunName(run), paths, [&](const std::string& path, std::int64_t update) {
    CHECK_EQ(update, 0);
    CHECK(fs::exists(path));
    written.push_back(path);
  });
  CHECK_EQ(written, std::vector<std::string>{paths.safetensors, paths.huggingface, paths.marian});
  for (const std::string& model : {paths.huggingface, paths.marian}) {
    import_folder(model, model + "-run", languages);
    CHECK(weights(folder, model + "-run") == weights(folder, run));
  }
}

TEST_CASE("the example of docs/cpp.md imports and exports a model") {
  const TemporaryFolder folder;
  const Quiet quiet;
  const fs::path before = fs::current_path();
  fs::create_directory_symlink(huggingface_model, folder / "opus-mt-en-de");
  fs::current_path(folder.path());
  import_folder("opus-mt-en-de", "runs/opus", {{"data.source", "en"}, {"data.target", "de"}});
  export_run(RunName("runs/opus"), {.huggingface = "opus-hf", .marian = "opus-marian"});
  fs::current_path(before);
  CHECK(fs::exists(folder / "opus-hf/config.json"));
  CHECK(fs::exists(folder / "opus-marian"));
}

TEST_CASE("a program imports a file of weights with options by their keys") {
  const TrainerFixture fixture;
  Config config = fixture.config;
  config.train.max_updates = updates(2);
  fixture.train(config, "run");
  const std::string run = fixture / "run", again = fixture / "again", file = fixture / "w.safetensors";
  export_run(RunName(run), {.safetensors = file});
  const ImportedRun imported = import_file(file, "", again, options_of(config));
  CHECK_EQ(imported.parameters, load_run(RunName(run), load_run_config(run)).model->parameters.count());
  const TemporaryFolder folder;
  CHECK(weights(folder, again) == weights(folder, run));
  CHECK(fs::exists(imported.checkpoint));

  const auto error = [&](const Settings& settings) {
    return error_of<Error>([&] { import_file(file, "", fixture / "new", settings); });
  };
  CHECK(error({{"model.width", "wide"}}).starts_with("[options] model.width: expected a whole number"));
  CHECK(error_of<Error>([&] { import_file(file, "", again, options_of(config)); }).find("got one with a run") !=
        std::string::npos);
}

TEST_CASE("what a program cannot import or export is refused before anything is written") {
  const TrainerFixture fixture;
  Config config = fixture.config;
  config.train.max_updates = updates(1);
  fixture.train(config, "run");
  const RunName run(fixture / "run");
  CHECK_EQ(error_of<Error>([&] {
             import_folder(huggingface_model, fixture / "new", {{"model.width", 8}});
           }),
           "[options] model.width: expected data.source or data.target; got an option that the model's folder sets");
  CHECK_FALSE(fs::exists(fixture / "new"));
  const auto error = [&](const ExportPaths& paths) { return error_of<Error>([&] { export_run(run, paths); }); };
  CHECK(error({.marian = fixture / "marian"}).find("data.tokenizer: words") != std::string::npos);
  CHECK_FALSE(fs::exists(fixture / "marian"));
  CHECK_NE(error({.safetensors = fixture / "w", .huggingface = fixture / "run"}), "");
  CHECK_FALSE(fs::exists(fixture / "w"));
}
