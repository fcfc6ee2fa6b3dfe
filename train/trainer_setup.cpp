#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>

#include "data/text/atomic_file.h"
#include "data/text/counted.h"
#include "train/config/auto_options.h"
#include "train/corpora/corpus_doubts.h"
#include "train/model/memory_check.h"
#include "train/run.h"
#include "train/runtime.h"
#include "train/scores/bleu.h"
#include "train/trainer.h"
#include "train/translation_task.h"

namespace glossa {

namespace {

/// What a run is, its checkpoint says: the file beside it may have been edited.
Config config_of(const FoundCheckpoint& found) {
  return parse_config(read_training_state(found.reader).config, found.reader.path());
}

/// A fresh run must not write over an old one; a resumed one must be the same run.
void check_continues(const Config& config, const std::string& run, bool resume,
                     const std::optional<FoundCheckpoint>& found) {
  if (found && !resume)
    misuse(run,
           "expected an empty folder for a new run; it holds checkpoints. Hint: go on with --resume, or choose "
           "another --run");
  if (found) check_resume(config_of(*found), config);
}

/// The checkpoint that train.warm_start names: its own, or that of the run. Its vocabulary must be of the kind that is
/// configured; what the model leaves open is as there.
CheckpointReader open_warm_start(Config& config) {
  const std::filesystem::path from = config.train.warm_start;
  check(std::filesystem::exists(from), "train.warm_start", "expected a run or a checkpoint; there is no {}",
        from.string());
  CheckpointReader reader(RunName(from).files().front());
  const Config base = parse_config(read_training_state(reader).config, reader.path());
  check_agree(
      base, config, [](std::string_view key) { return key == "data.tokenizer" || key == "data.shared_vocabulary"; },
      "as the run of train.warm_start has it", "weights mean something only with their vocabulary");
  config = decided_as(base, std::move(config), "model");
  return reader;
}

std::int64_t updates_per_epoch(const Config& config, const Task& task) {
  return (task.batches() + config.train.accumulate - 1) / config.train.accumulate;
}

/// When training will end, in one line, and what its epochs are in updates.
std::string budget(const Config& config, std::int64_t updates_per_epoch) {
  const TrainConfig& train = config.train;
  std::vector<std::string> limits;
  if (!train.max_updates.never()) limits.push_back(counted(train.max_updates.amount, "update"));
  if (!train.max_epochs.never()) limits.push_back(counted(train.max_epochs.amount, "epoch"));
  if (train.max_minutes > 0) limits.push_back(counted(train.max_minutes, "minute"));
  if (train.patience > 0) limits.push_back(counted(train.patience, "validation") + " without improvement");
  const Period& warmup = config.optim.warmup;
  const double updates = std::ceil(warmup.amount * static_cast<double>(updates_per_epoch));
  return fmt::format(
      "trains until {}{}", fmt::join(limits, " or "),
      warmup.unit == Period::Unit::epochs
          ? fmt::format("; warm-up of {}, {}", counted(warmup.amount, "epoch"), counted(updates, "update"))
          : "");
}

/// The tokenizers of a run that goes on, those of train.warm_start, or new ones.
Tokenizers tokenizers_for(const Config& config, const std::string& run, bool resuming, const ParallelCorpus& text) {
  if (resuming) return load_tokenizers(config.data, run);
  if (!config.train.warm_start.empty())  // weights mean something only with their vocabulary
    return load_tokenizers(config.data, RunName(config.train.warm_start).folder());
  return train_tokenizers(config.data, text);
}

/// What BLEU counts, where the configuration leaves it to the text; a line for the log where that is unusual.
std::vector<std::string> decide_bleu_tokenizer(Config& config, std::span<const std::string> target) {
  std::optional<BleuTokenizer>& tokenizer = config.train.bleu_tokenize;
  if (tokenizer) return {};
  tokenizer = usual_bleu_tokenizer(config.data.target, target);
  if (tokenizer == BleuOptions().tokenizer) return {};
  return {fmt::format("BLEU counts characters (tok:{}): spaces do not part the words of {}; see train.bleu_tokenize",
                      name(*tokenizer), config.data.target)};
}

}  // namespace

Trainer::Trainer(Config config, const std::string& config_path, const std::string& run, bool resume)
    : config_(std::move(config)), run_(run) {
  check(config_);
  apply_runtime(config_.runtime);
  const auto keep = static_cast<std::size_t>(config_.train.keep_checkpoints);
  std::optional<FoundCheckpoint> found;
  if (std::filesystem::exists(run)) {
    checkpoints_.emplace(run, keep);
    found = checkpoints_->newest_valid();
  }
  if (found) config_ = decided_as(config_of(*found), std::move(config_));
  check_continues(config_, run, resume, found);
  if (!found) check_not_overwriting(config_, config_path, run);
  std::vector<std::string> notes;
  if (resume && !found) notes.push_back("--resume: no checkpoint in " + run + " yet, starting afresh");

  // Where something is wrong with the input no folder of the run is left.
  std::optional<CheckpointReader> base;
  if (!found && !config_.train.warm_start.empty()) base.emplace(open_warm_start(config_));
  check_training_fits(decided_for({}, config_), 1, 1);  // what is known before text is read, which may take long
  const std::vector<std::string> doubts = make_task(found.has_value());
  notes.insert(notes.end(), doubts.begin(), doubts.end());
  const std::int64_t epoch = updates_per_epoch(config_, *task_);
  schedule_ = make_schedule(config_.optim, config_.model.width, epoch);
  for (const auto& warnings : {check(config_), length_doubts(config_, epoch)})
    notes.insert(notes.end(), warnings.begin(), warnings.end());
  state_.vocabulary_hash = task_->vocabulary_hash();
  state_.data_hash = task_->data_hash();
  if (found) restore_state(*found);
  begin_epoch();
  optimizer_ = make_optimizer(config_.optim, task_->parameters());
  gradient_sum_.emplace(std::ssize(task_->parameters().grads()));
  if (found) {
    read_parameters(found->reader, task_->parameters());
    read_moments(found->reader, task_->parameters(), *optimizer_, state_);
    for (const std::string& refused : found->refused) notes.push_back("checkpoint passed over: " + refused);
    notes.push_back(
        fmt::format("resumed at update {} (epoch {}, batch {})", state_.update, state_.epoch + 1, state_.batch));
    if (state_.build != build_fingerprint())
      notes.push_back("the checkpoint was written by another build (" + describe_build(state_.build) +
                      "): training goes on, but the same bits as without the stop are not promised");
  } else if (base) {
    warm_start(*base);
    notes.push_back("warm start: weights of " + config_.train.warm_start);
    if (const std::string note = RunName(config_.train.warm_start).note(); !note.empty()) notes.push_back(note);
  }
  average_ = make_average(config_.train, task_->parameters());
  if (average_ && found) read_average(found->reader, task_->parameters(), *average_);
  state_.config = dump(config_);
  state_.build = build_fingerprint();
  const bool goes_on = !ending();
  const std::string memory = rehearse();

  if (!checkpoints_) {
    checkpoints_.emplace(run, keep);
    // Another trainer may have begun and ended while this one prepared its data.
    check_continues(config_, run, false, checkpoints_->newest_valid());
  }
  if (new_folder_) new_folder_->keep();
  write_file_atomically(config_file(run), state_.config);
  if (!found) task_->save(run);
  log_.emplace(run, state_.update, stderr, goes_on);
  if (found) restore_links(goes_on);  // after the log, which has forgotten the end: half-way it is told again
  write_head(notes, memory);
}

/// Decides what the configuration leaves to the corpus. Returns doubts about that.
std::vector<std::string> Trainer::make_task(bool resuming) {
  const Corpora corpora = read_corpora(config_.data, static_cast<std::uint64_t>(config_.train.seed));
  const ParallelCorpus& text = corpora.training;
  std::vector<std::string> decided = decide_auto_options(config_, text, corpora.split);
  for (std::string& line : decide_bleu_tokenizer(config_, text.target)) decided.push_back(std::move(line));
  if (!checkpoints_) new_folder_.emplace(run_);
  task_ = std::make_unique<TranslationTask>(config_, corpora, tokenizers_for(config_, run_, resuming, text), decided);
  return corpus_doubts(config_.data, text);
}

void Trainer::restore_state(const FoundCheckpoint& found) {
  TrainingState saved = read_training_state(found.reader);
  check(saved.vocabulary_hash == state_.vocabulary_hash, run_,
        "expected the vocabulary of the checkpoint; the one in the folder is another. Hint: restore it");
  check(saved.data_hash == state_.data_hash, "data.train",
        "expected the training and validation data of the checkpoint; {} or data.valid is different now. Hint: restore "
        "the data, or start a new run "
        "with train.warm_start: {}",
        config_.data.train, run_);
  schedule_.set_plateau(saved.plateau);
  state_ = std::move(saved);
}

/// The links as the state says: a kill may have come before them, and what a run ended with may be called its best,
/// which it is not for one that goes on.
void Trainer::restore_links(bool goes_on) {
  const auto best = static_cast<std::uint64_t>(state_.best_update);
  const bool knows_best = state_.has_best && (goes_on || state_.best_update == state_.update);
  checkpoints_->point_links(static_cast<std::uint64_t>(state_.update),
                            knows_best && checkpoints_->has(best) ? std::optional(best) : std::nullopt);
  if (goes_on && !state_.has_best) checkpoints_->forget_best();
}

void Trainer::warm_start(const CheckpointReader& base) {
  check(read_training_state(base).vocabulary_hash == state_.vocabulary_hash, "train.warm_start",
        "expected a run with the vocabulary that it was trained with; {} has another", config_.train.warm_start);
  read_mean_parameters({&base, 1}, task_->parameters());
}

/// One pass forward and back over the largest batch, for the memory that it takes: the estimate is made sure of before
/// anything is written, and the arena then has its size. Nothing that training reads is left changed.
std::string Trainer::rehearse() {
  const Task::Loss loss = task_->largest_loss(context_, {.training = true});
  context_.backward(loss.sum);
  task_->parameters().clear_grads();
  std::size_t moments = 0;
  for (const StateBuffer<float>& buffer : optimizer_->state()) moments += buffer.values.size_bytes();
  const auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  const double parameters = mib(task_->parameters().values().size_bytes());
  return fmt::format(
      "memory: parameters {0:.1f} MiB, gradients {0:.1f}, optimizer {1:.1f}{2};\n"
      "    a step of {3} rows {4:.1f}; {5:.0f} in all with program and data, validation apart",
      parameters, mib(moments), average_ ? fmt::format(", average {:.1f}", parameters) : "", loss.rows,
      mib(context_.arena().peak_bytes()), peak_rss_mb());
}

void Trainer::write_head(const std::vector<std::string>& notes, const std::string& memory) {
  if (state_.update == 0) log_->record("configuration\n" + state_.config);
  log_->line(describe_runtime());
  for (const std::string& warning : warnings(surroundings())) log_->line("warning: " + warning);
  for (const std::string& line : task_->head()) log_->line(line);
  log_->line(memory);
  if (average_)
    log_->line(
        fmt::format("the moving average of the weights is validated and translates (train.ema {})", config_.train.ema));
  log_->line(budget(config_, updates_per_epoch(config_, *task_)));
  for (const std::string& note : notes) log_->line("note: " + note);
}

}  // namespace glossa
