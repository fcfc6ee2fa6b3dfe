#include "tests/disk/workload.h"

#include <fmt/ranges.h>

#include <charconv>

#include "base/check.h"
#include "tests/disk/child.h"
#include "tests/support/event_reader.h"
#include "tests/support/metrics_text.h"
#include "tests/support/quiet.h"
#include "tests/support/temporary_folder.h"
#include "train/checkpoint/bounded_archive.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/tensorboard_event.h"
#include "train/trainer.h"

namespace glossa::disk {

namespace fs = std::filesystem;
using testing::read_bytes;

namespace {

/// The number after `key` in a text; 0 if not found.
std::uint64_t number_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  std::uint64_t number = 0;
  if (at != text.npos) std::from_chars(text.data() + at + key.size(), text.data() + text.size(), number);
  return number;
}

/// A link's target; empty if not found.
std::string link_text(const fs::path& link) {
  std::error_code none;
  return fs::read_symlink(link, none).string();
}

/// The current folder while it lives.
class CurrentFolder {
 public:
  explicit CurrentFolder(const fs::path& folder) : before_(fs::current_path()) { fs::current_path(folder); }
  ~CurrentFolder() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
  }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;

 private:
  fs::path before_;
};

constexpr std::uint64_t save_count = 4;
bool is_best(std::uint64_t update) { return update == 1 || update == 4; }

void save_all(const fs::path& folder) {
  CheckpointFolder checkpoints(folder / "run", 2);
  std::uint64_t done = 0;
  if (const auto found = checkpoints.newest_valid()) {
    done = found->update;
    checkpoints.point_links(done, is_best(done) ? std::optional(done) : std::nullopt);
  }
  while (done < save_count) {
    ++done;
    TrainingState state;
    state.update = static_cast<std::int64_t>(done);
    const std::string weights(5000, static_cast<char>(done));
    CheckpointWriter writer;
    writer.add_owned("state", EntryKind::state, to_bytes(state));
    writer.add("weights", EntryKind::buffer, Dtype::u8, {weights.size()}, std::as_bytes(std::span(weights)));
    checkpoints.save(done, writer, is_best(done));
    mark(static_cast<std::int64_t>(done));
  }
}

constexpr std::uint64_t last_update = 3, save_every = 1;

Config configuration() {
  Config config;
  config.data.train = config.data.valid = "corpus";
  config.train.allow = {TrainConfig::Mistake::valid_is_train, TrainConfig::Mistake::few_pairs};
  config.data.target = "hi";
  config.data.tokenizer = DataConfig::Tokenizer::words;
  config.model.transformer.stack.width = 4;
  config.model.transformer.stack.heads = 1;
  config.model.transformer.stack.feed_forward = 4;
  config.model.transformer.encoder_layers = config.model.transformer.decoder_layers = 1;
  config.model.transformer.stack.bias = false;
  config.data.encoding.max_length = config.model.transformer.max_positions = 16;
  config.model.transformer.stack.norm_affine = NormAffine::none;
  config.optim.name = OptimConfig::Name::sgd;
  config.optim.schedule.lr = 0.5;
  config.optim.schedule.kind = ScheduleOptions::Kind::constant;
  config.optim.warmup = {};
  config.train.max_updates = {last_update, Period::Unit::updates};
  config.train.validate_every = {2, Period::Unit::updates};  // and at the end
  config.train.save_every = {save_every, Period::Unit::updates};
  config.train.log_every = {1, Period::Unit::updates};
  config.train.keep_checkpoints = 2;
  config.train.samples = 1;
  config.runtime.threads = 1;
  config.runtime.gemm = RuntimeConfig::Gemm::eigen;
  return config;
}

/// A line of the metrics announces its update, so that all earlier ones are done.
std::uint64_t told_by_training(const Call& call) {
  if (call.kind != Kind::write || call.failed) return 0;
  if (call.path == "run/train.log" && call.text.find("] finished: ") != call.text.npos) return last_update;
  if (call.path != "run/metrics.jsonl") return 0;
  const std::uint64_t update = number_after(call.text, "\"update\":");
  return update == 0 ? 0 : (update - 1) / save_every * save_every;
}

std::string result_of_training(const fs::path& folder) {
  const fs::path run = folder / "run";
  const CheckpointReader reader(run / "checkpoints/last");
  return fmt::format("{} {}, best {}, {}", parameters_sha256(reader), state_sha256(reader),
                     link_text(run / "checkpoints/best"), read_bytes(run / "vocabulary.txt"));
}

std::string metrics(const fs::path& folder) { return testing::figures_in(read_bytes(folder / "run/metrics.jsonl")); }

/// The update of the complete checkpoint behind a link; 0 and a complaint for any other.
std::uint64_t behind(const fs::path& link, std::string& complaint) {
  const std::string name = link_text(link);
  if (name.empty()) return 0;
  try {
    const CheckpointReader reader(link);
    return number_after(name, "update-");
  } catch (const Error& error) {
    complaint += fmt::format("{} leads to {}: {}. ", link.filename().string(), name, error.what());
    return 0;
  }
}

}  // namespace

CleanRun run_cleanly(const Workload& workload, const Snapshot& before, std::uint64_t announced) {
  const testing::TemporaryFolder folder(fast_folder());
  lay_out(folder.path(), {}, before);
  CleanRun done;
  done.announced = {announced};
  {
    const testing::Quiet quiet;
    const Watch watch(folder.path());
    workload.work(folder.path());
    done.calls = watch.calls();
  }
  for (const Call& call : done.calls)
    done.announced.push_back(std::max(done.announced.back(), workload.announced(call)));
  done.folder = snapshot_of(folder.path());
  done.result = workload.result(folder.path());
  done.records = workload.records(folder.path());
  return done;
}

Workload saves() {
  return {.before = {},
          .work = save_all,
          .announced = [](const Call& call) { return call.kind == Kind::mark ? std::uint64_t(call.number) : 0; },
          .result =
              [](const fs::path& folder) {
                const fs::path checkpoints = folder / "run/checkpoints";
                return link_text(checkpoints / "last") + " " + link_text(checkpoints / "best") + " " +
                       read_bytes(checkpoints / "last");
              },
          .records = [](const fs::path&) { return std::string(); }};
}

Workload training() {
  const auto file = [](const char* text) { return Entry{Entry::Kind::file, kept(text)}; };
  return {.before = {{"corpus.en", file("hello world\nhow are you\nare you well\nhello you\n")},
                     {"corpus.hi", file("namaste vishva\naap kaise ho\nkya tum thik ho\nnamaste aap\n")}},
          .work =
              [](const fs::path& folder) {
                const CurrentFolder there(folder);  // a checkpoint identifies its corpus by the given path
                Trainer trainer(
                    prepare({.config = configuration(), .run = "run", .resume = true, .config_path = "tiny.yaml"}));
                trainer.train();
              },
          .announced = told_by_training,
          .result = result_of_training,
          .records = metrics};
}

Workload log() {
  const char* const told = "{\"update\":1}\n{\"update\":2}\n{\"update\":3}\n{\"upd";
  std::string events = event::version({1, 0}) + event::session_start({1, 0});
  for (const std::int64_t update : {1, 2, 3})
    events += event::scalars({1, update}, std::vector<event::Scalar>{{"train/loss", 1}});
  const std::string name = "run/tensorboard/events.out.tfevents.4000000000.h";  // in the future: fixes the next name
  return {.before = {{"run", {}},
                     {"run/metrics.jsonl", {Entry::Kind::file, kept(told)}},
                     {"run/tensorboard", {}},
                     {name, {Entry::Kind::file, kept(events + "torn")}}},
          .work =
              [](const fs::path& folder) {
                RunLog log(folder / "run", 2);
                TensorboardLog tensorboard(folder / "run", 3, "configuration");
                const TrainingReport report{.update = 3, .epoch = 1, .loss = 2};
                log.training(report);
                tensorboard.training(report);
              },
          .announced = [](const Call&) { return std::uint64_t{0}; },
          .result =
              [](const fs::path& folder) {
                const testing::RecordedEvents events = testing::read_events(folder / "run/tensorboard");
                return fmt::format("{}{}", read_bytes(folder / "run/metrics.jsonl"),
                                   fmt::join(events.steps("train/loss"), " "));
              },
          .records = [](const fs::path&) { return std::string(); }};
}

RunState run_state(const fs::path& run) {
  RunState found;
  try {
    if (const auto checkpoint = newest_valid_checkpoint(run)) {
      found.newest = checkpoint->update;
      for (const Error& refused : checkpoint->refused) found.complaint += fmt::format("damaged: {}. ", refused.what());
      if (const std::int64_t update = read_training_state(checkpoint->reader).update;
          static_cast<std::uint64_t>(update) != found.newest)
        found.complaint += fmt::format("the file of update {} holds update {}. ", found.newest, update);
      if (!fs::is_regular_file(run / "config.yaml") && fs::exists(run / "vocabulary.txt"))
        found.complaint += "a checkpoint without config.yaml. ";
    }
  } catch (const Error& error) {
    found.complaint += std::string(error.what()) + ". ";
  }
  found.last = behind(run / "checkpoints/last", found.complaint);
  found.best = behind(run / "checkpoints/best", found.complaint);
  if (found.best > found.last)
    found.complaint += fmt::format("best is update {}, but last is {}. ", found.best, found.last);
  return found;
}

std::string complaint(const RunState& run_state, std::uint64_t announced) {
  std::string text = run_state.complaint;
  if (run_state.newest < announced || run_state.last < announced)
    text += fmt::format("update {} was reported as saved; the newest is {}, last leads to {}. ", announced,
                        run_state.newest, run_state.last);
  return text;
}

}  // namespace glossa::disk
