#include "train/run.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "autograd/kernels/bf16/kind.h"
#include "base/atomic_file.h"
#include "base/console/print.h"
#include "base/folder.h"
#include "base/nearest_name.h"
#include "data/text/fingerprint.h"
#include "data/text/shell_word.h"
#include "data/text/text_file.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/checkpoint/int8_file.h"
#include "train/model/memory_check.h"
#include "train/runtime.h"
#include "train/stray_checkpoint.h"
#include "train/validation_history.h"

namespace glossa {

namespace {

/// Returns a hint that lists the runs in a folder of runs, or in the folder `runs` of a project.
std::optional<std::string> runs_within(const std::string& folder) {
  constexpr std::size_t max_named = 5;
  std::vector<std::string> runs;
  std::error_code unreadable;
  for (const std::filesystem::path& parent : {std::filesystem::path(folder), std::filesystem::path(folder) / "runs"})
    for (const std::string& name : names_in(parent)) {
      const std::filesystem::path run = (parent / name).lexically_normal();
      if (std::filesystem::is_regular_file(config_file(run.string()), unreadable)) runs.push_back(shell_path(run));
    }
  if (runs.empty()) return {};
  const std::size_t more = runs.size() - std::min(runs.size(), max_named);
  runs.resize(runs.size() - more);
  return fmt::format("name a run in it: {}{}", fmt::join(runs, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

std::filesystem::path config_file(const std::string& run) { return std::filesystem::path(run) / "config.yaml"; }

void check_not_overwriting(const Config& config, const std::string& config_path, const std::string& run) {
  std::error_code missing;
  if (std::filesystem::equivalent(config_path, config_file(run), missing) && read_file(config_path) != dump(config))
    misuse(config_path,
           "expected a run folder without this configuration file; got the one that contains it. Hint: choose another "
           "--run");
}

void check_is_run(const std::string& run) {
  if (std::filesystem::is_regular_file(config_file(run))) return;
  if (std::filesystem::exists(run))
    fail(run, "expected a run folder, with its config.yaml; got something else. Hint: {}",
         runs_within(run).value_or("name what train had as --run"));
  const std::string nearest = nearest_path(run);
  fail(run.empty() ? "RUN" : run, "expected a run folder; not found. Hint: {}",
       nearest.empty() ? "create one with glossa train CONFIG.yaml --run FOLDER"
                       : fmt::format("did you mean {}?", shell_path(nearest)));
}

void check_holds_no_run(const std::string& run) {
  if (is_in_int8(run) || newest_valid_checkpoint(run))
    misuse(run, "expected a folder without a run; got one with a run. Hint: choose another --run");
}

void check_holds_run(const std::string& run) {
  check_is_in_float(run);
  const std::filesystem::path checkpoints = std::filesystem::path(run) / "checkpoints";
  if (!names_in(checkpoints).empty() || std::filesystem::exists(config_file(run))) return;
  const std::string nearest = std::filesystem::exists(run) ? "" : nearest_path(run);
  misuse(run, "expected a run to resume; not found. Hint: {}; {} begins one",
         nearest.empty() ? runs_within(run).value_or("check the path")
                         : fmt::format("did you mean {}?", shell_path(nearest)),
         shell_command({"glossa", "train", "CONFIG.yaml", "--resume=auto", "--run", std::filesystem::path(run)}));
}

void agree_on_text(std::string_view where, std::span<const ParallelCorpus* const> corpora, const Job& job) {
  if (!job.is_several()) return;
  Fingerprint hash;
  for (const ParallelCorpus* corpus : corpora)
    for (const auto* side : {&corpus->source, &corpus->target}) {
      hash.add(side->size());
      for (const std::string& line : *side) hash.add(line);
    }
  job.agree(fmt::format("text in {}", where), fmt::format("{:016x}", hash.value()));
}

NewRunFolder::NewRunFolder(const std::string& run) {
  for (std::filesystem::path path = run; !path.empty() && !std::filesystem::exists(path); path = path.parent_path())
    made_.push_back(path);
  create_folder(run);
}

NewRunFolder::~NewRunFolder() { remove(); }

void NewRunFolder::remove() {
  for (const std::filesystem::path& path : made_) rmdir(path.c_str());  // removes only empty folders; needs no memory
}

RunName::RunName(const std::string& named, const std::string& choice)
    : named_(named), folder_(named), choice_(choice), is_checkpoint_(false) {
  std::error_code ignored;
  is_checkpoint_ = std::filesystem::is_regular_file(named, ignored);
  if (!is_checkpoint_) return;
  const std::filesystem::path file = std::filesystem::absolute(named);
  if (file == int8_file(file.parent_path())) {
    is_checkpoint_ = false;
    folder_ = file.parent_path().string();
    return;
  }
  if (!choice.empty())
    misuse("--checkpoint", "expected a run folder to choose from; got the checkpoint {}. Hint: use only one of the two",
           named);
  const std::filesystem::path checkpoints = std::filesystem::absolute(named).parent_path();
  folder_ = checkpoints.filename() == "checkpoints" ? checkpoints.parent_path().string() : "";
}

const std::string& RunName::folder() const {
  if (is_checkpoint_ && folder_.empty())
    fail(named_,
         "expected a run folder or one of its checkpoints, RUN/checkpoints/NAME; got another file. Hint: name what "
         "train had as --run");
  return folder_;
}

std::vector<std::filesystem::path> RunName::files(std::int64_t average) const {
  if (is_checkpoint_) return {named_};
  if (is_in_int8(folder_)) {
    if (std::filesystem::exists(std::filesystem::path(folder_) / "checkpoints"))
      fail(folder_, "expected checkpoints or int8.weights; got both. Hint: move one of them away");
    if (!choice_.empty())
      misuse("--checkpoint", "expected nothing for a run that glossa quantize made, which has no checkpoints; got {}",
             choice_);
    return {int8_file(folder_)};
  }
  if (!std::filesystem::exists(std::filesystem::path(folder_) / "checkpoints")) {
    check_is_run(folder_);
    fail(folder_,
         "expected checkpoints, or int8.weights of glossa quantize; not found. Hint: train the run, or "
         "make it again with glossa quantize");
  }
  if (choice_.empty() && average > 0)
    if (auto newest = newest_checkpoints(folder_, static_cast<std::size_t>(average)); !newest.empty()) return newest;
  return chosen_checkpoints(folder_, choice_);
}

std::filesystem::path RunName::file() const {
  const std::vector<std::filesystem::path> chosen = files();
  if (chosen.size() > 1)
    misuse(
        "--checkpoint", "expected one checkpoint; got {}. Hint: make a run of them with {}", chosen.size(),
        shell_command({"glossa", "average", std::filesystem::path(folder_), "--last", chosen.size(), "--run", "NEW"}));
  return chosen.front();
}

std::string RunName::note() const {
  if (is_checkpoint_ || !choice_.empty()) return "";
  const auto best = linked_update(folder_, "best"), last = linked_update(folder_, "last");
  if (!best || !last || *last <= *best) return "";
  try {
    const auto validated = static_cast<std::uint64_t>(last_validation(folder_));
    const bool never_validated = validated == 0 && *best > 0;  // 0 means never, except after a warm start
    if (never_validated || *last <= validated) return "";
  } catch (const Error&) {  // unreadable metrics only suppress the note
    return "";
  }
  return fmt::format("best is update {}; update {} is newer than the last validation; use it with --checkpoint last",
                     *best, *last);
}

namespace {

/// Opens a checkpoint or int8.weights. If int8.weights is damaged, the error has a hint that `glossa quantize` makes a
/// new one.
CheckpointReader opened(const std::filesystem::path& file) {
  if (file != int8_file(file.parent_path())) return CheckpointReader(file);
  try {
    return CheckpointReader(file);
  } catch (const Error& error) {
    throw Error(error.kind(), error.parts().with_hint("restore the file, or make it again with glossa quantize"));
  }
}

}  // namespace

LoadedRun load_run(const RunName& name, Config config, const Job& job) {
  const std::string& run = name.folder();
  LoadedRun loaded;
  loaded.config = agreed(config, job);
  std::vector<CheckpointReader> readers;
  loaded.checkpoints = name.files(loaded.config.decode.average);
  for (const std::filesystem::path& file : loaded.checkpoints) {
    readers.push_back(opened(file));
    print_detail("note: read {}\n", std::filesystem::canonical(file).string());
  }
  const CheckpointReader& reader = readers.front();
  loaded.state = read_training_state(reader);
  if (readers.size() > 1) {
    std::vector<std::int64_t> updates;
    for (const CheckpointReader& each : readers) updates.push_back(read_training_state(each).update);
    if (const std::string doubt = doubt_of_mean(validation_history(run), updates); !doubt.empty())
      warn("[{}] {}", run, doubt);
  }
  Fingerprint weights;
  for (const CheckpointReader& each : readers)
    for (const CheckpointEntry& entry : each.entries()) weights.add(entry.name).add(entry.crc);
  job.agree("checkpoint", fmt::format("{:016x}", weights.value()));
  const Precision precision = loaded.config.decode.precision;
  const bool is_mapped = is_in_int8(run) && readers.front().path() == int8_file(run);
  if (is_mapped && precision != Precision::int8)
    misuse(run,
           "expected int8 as --precision and decode.precision of a run that glossa quantize made; got {}. Hint: {}",
           name_of(precision), hint_at_origin(run));
  if (precision != Precision::full) print_detail("note: {}\n", describe_products(precision));
  if (precision == Precision::bf16) {
    if (!environment().has_fast_bf16) warn("{}", slow_bf16);
    job.agree("kind of bf16 products", kernels::bf16::kind().name);
  }
  const auto check_origin = [&](const std::function<bool(const TrainingState&)>& belongs) {
    for (const CheckpointReader& each : readers)
      check_is_not_stray(run, each.path(), read_training_state(each), belongs);
  };
  check_origin(trained_with(loaded.config, reader.path()));
  check_agree(parse_config(loaded.state.config, reader.path()), loaded.config, binds, "as when the run was trained",
              fmt::format("restore {}, or remove {} if it came from another run", config_file(run).string(),
                          reader.path().string()));
  loaded.tokenizers = load_tokenizers(loaded.config.data, run);
  check_origin([&](const TrainingState& state) { return state.vocabulary_hash == loaded.tokenizers.fingerprint(); });
  check(loaded.tokenizers.fingerprint() == loaded.state.vocabulary_hash, run,
        "expected the vocabulary that {} was trained with; got another. Hint: restore the run's vocabulary or "
        "sentencepiece model",
        reader.path().string());
  const Index source_vocabulary = loaded.tokenizers.source->vocabulary_size(),
              target_vocabulary = loaded.tokenizers.target->vocabulary_size();
  check_model_fits(run,
                   memory_need(transformer_options(loaded.config.model, source_vocabulary, target_vocabulary))
                       .of_decoding(precision),
                   memory_left(job));
  loaded.model = make_blank_model(loaded.config.model, source_vocabulary, target_vocabulary,
                                  loaded.tokenizers.target->specials(), precision);
  Model& model = *loaded.model;
  if (is_mapped)
    map_int8_model(reader, model.parameters, *model.quantized);
  else
    read_mean_parameters(readers, model.parameters, model.quantized.get());
  return loaded;
}

LoadedRun load_run_in_float(const RunName& name, Config config) {
  check_is_in_float(name.folder());
  config.decode.precision = Precision::full;
  return load_run(name, std::move(config));
}

std::filesystem::path write_new_run(const std::string& run, const Config& config, const Tokenizers& tokenizers,
                                    Model& model, std::uint64_t data_hash, const TextStatistics& text) {
  TrainingState state;
  state.config = dump(config);
  state.vocabulary_hash = tokenizers.fingerprint();
  state.data_hash = data_hash;
  state.text = text;
  state.build = build_fingerprint();
  const std::unique_ptr<Optimizer<float>> optimizer = make_optimizer(config.optim, model.parameters);
  const std::unique_ptr<MovingAverage<float>> average = make_average(config.train, model.parameters);

  const Uninterrupted whole;
  CheckpointFolder checkpoints(run, static_cast<std::size_t>(config.train.keep_checkpoints));
  check_holds_no_run(run);  // a trainer may have created a run meanwhile
  write_file_atomically(config_file(run), state.config);
  save_tokenizers(tokenizers, config.data, run);
  CheckpointWriter writer;
  add_to_checkpoint(writer, model.parameters, *optimizer, average.get(), state,
                    host_fingerprint(config.train.precision));
  return checkpoints.save(0, writer, false);
}

std::filesystem::path write_average_run(const std::string& from, std::int64_t count, const std::string& run) {
  check_holds_no_run(run);  // throws before the slow work
  check_is_in_float(RunName(from).folder());
  const RunName name(from, fmt::format("average:{}", count));
  const Config config = load_run_config(name.folder());
  const LoadedRun mean = load_run_in_float(name, config);
  std::filesystem::path written =
      write_new_run(run, config, mean.tokenizers, *mean.model, mean.state.data_hash, mean.state.text);
  record_origin(run, CorpusPlaces(name.folder()).working_folder());
  return written;
}

std::filesystem::path write_int8_run(const RunName& name, const std::string& run) {
  namespace fs = std::filesystem;
  std::error_code missing;  // ignored: the code below then fails before the slow work
  const bool is_folder = fs::is_directory(run, missing);
  if (is_folder) check_holds_no_run(run);
  if (run.empty() || (is_folder ? !fs::is_empty(run, missing) : fs::exists(run, missing)))
    misuse(run.empty() ? "--run" : run, "expected a new folder, or an empty one; got {}. Hint: choose another --run",
           is_folder ? "one with files" : "something else");
  check_is_in_float(name.folder());
  LoadedRun loaded = load_run(name, load_run_config(name.folder(), {}, 0, Precision::int8));
  loaded.state.config = dump(loaded.config);
  std::vector<std::string> origin;
  for (const fs::path& file : loaded.checkpoints) origin.push_back(fs::canonical(file).string());

  const Uninterrupted whole;
  const fs::path folder = absolute_folder(run);
  write_folder_atomically(folder, folder.string() + ".part", [&](const fs::path& part) {
    write_file_atomically(config_file(part), loaded.state.config);
    save_tokenizers(loaded.tokenizers, loaded.config.data, part);
    CheckpointWriter writer;
    add_int8_model(writer, loaded.model->parameters, fmt::format("{}", fmt::join(origin, ", ")));
    add_state(writer, loaded.state, host_fingerprint(Precision::int8));
    writer.write(int8_file(part));
    // Read-only, because overwriting the file would change the numbers of programs that have mapped it.
    fs::permissions(int8_file(part), fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write,
                    fs::perm_options::remove);
  });
  record_origin(run, CorpusPlaces(name.folder()).working_folder());
  return int8_file(run);
}

}  // namespace glossa
