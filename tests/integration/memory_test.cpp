// Models too large for any machine's memory: refused before anything is allocated.
#include <doctest/doctest.h>

#include "config/config.h"
#include "tests/integration/tiny_run.h"
#include "tests/support/changed_checkpoint.h"
#include "train/checkpoint/bounded_archive.h"
#include "train/checkpoint/checkpoint.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// A model of about a petabyte.
const Strings huge{"model.width=65536", "model.feed_forward=1048576", "model.encoder_layers=256",
                   "model.positions=learned"};

/// Makes a run's configuration and checkpoint claim a huge model.
void enlarge(const fs::path& run) {
  glossa::Config config = glossa::load_config(run / "config.yaml", huge);
  write_bytes(run / "config.yaml", glossa::dump(config));
  change_checkpoint(fs::canonical(run / "checkpoints/last"),
                    [&](const glossa::CheckpointEntry& entry, std::vector<std::byte>& bytes) {
                      if (entry.name != "state") return;
                      auto state = glossa::from_bytes<glossa::TrainingState>(
                          {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "state");
                      state.config = glossa::dump(config);
                      const std::string changed = glossa::to_bytes(state);
                      const auto view = std::as_bytes(std::span(changed));
                      bytes.assign(view.begin(), view.end());
                    });
}

}  // namespace

TEST_CASE("training that needs too much memory is refused and names the option; --force tries anyway") {
  const TinyRun tiny;
  check_refused(tiny.train("run", huge), 1,
                {"[model.width] expected ", "got 65536, with which training needs ", "--force"});
  CHECK_FALSE(fs::exists(tiny / "run"));
  check_refused(tiny.train("run", huge, {"--force"}), 1, {"[arena]", "the machine has no more"});
  Strings bench = huge;
  for (std::string& set : bench) set.insert(0, "--set=");
  bench.insert(bench.begin(), {"train", tiny / "tiny.yaml"});
  check_refused(bench_program(bench), 1, {"[model.width]"});
}

TEST_CASE("commands refuse a run whose model needs too much memory; --force tries anyway") {
  const TinyRun tiny;
  succeeded(tiny.train("run"));
  const std::string run = tiny / "run", text = tiny / "toy/test.en", weights = tiny / "weights.safetensors";
  succeeded(glossa_program({"export", run, "--safetensors", weights}));
  enlarge(run);
  const std::vector<Strings> commands{{"translate", run},
                                      {"evaluate", run, "--source", text, "--reference", tiny / "toy/test.hi"},
                                      {"average", run, "--last", "1", "--run", tiny / "mean"}};
  const auto check_limited = [&](Outcome (*program)(const Strings&), Strings command) {
    CAPTURE(command.front());
    check_refused(program(command), 1, {run + "] expected a model of at most ", "--force"});
    command.push_back("--force");
    check_refused(program(command), 1, {"[arena]", "the machine has no more"});
  };
  for (const Strings& command : commands)
    check_limited([](const Strings& all) { return glossa_program(all); }, command);
  check_limited([](const Strings& all) { return bench_program(all); }, {"decode", run, "--source", text});
  check_refused(glossa_program({"import", weights, run + "/config.yaml", "--run", tiny / "imported"}), 1,
                {"[model.width]"});
  check_refused(glossa_program({"import", weights, run + "/config.yaml", "--run", tiny / "imported", "--force"}), 1,
                {"[arena]", "the machine has no more"});
}
