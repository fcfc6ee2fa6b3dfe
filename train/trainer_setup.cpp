#include <fmt/ranges.h>

#include <filesystem>

#include "data/atomic_file.h"
#include "data/fingerprint.h"
#include "train/memory_check.h"
#include "train/run.h"
#include "train/runtime.h"
#include "train/trainer.h"

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
/// configured.
CheckpointReader open_warm_start(const Config& config) {
  const std::filesystem::path from = config.train.warm_start;
  check(std::filesystem::exists(from), "train.warm_start", "expected a run or a checkpoint; there is no {}",
        from.string());
  CheckpointReader reader(RunName(from).files().front());
  check_agree(
      parse_config(read_training_state(reader).config, reader.path()), config,
      [](std::string_view key) { return key == "data.tokenizer" || key == "data.shared_vocabulary"; },
      "as the run of train.warm_start has it", "weights mean something only with their vocabulary");
  return reader;
}

/// When training will end, in one line.
std::string budget(const TrainConfig& train) {
  std::vector<std::string> limits;
  if (!train.max_updates.never()) limits.push_back(fmt::format("{:.0f} updates", train.max_updates.amount));
  if (!train.max_epochs.never()) limits.push_back(fmt::format("{:g} epochs", train.max_epochs.amount));
  if (train.max_minutes > 0) limits.push_back(fmt::format("{:g} minutes", train.max_minutes));
  if (train.patience > 0) limits.push_back(fmt::format("{} validations without improvement", train.patience));
  return fmt::format("trains until {}", fmt::join(limits, " or "));
}

/// Which of two batches takes more memory: the one with more rows; of equals, the one with more pairs of them in
/// attention.
std::pair<int, Index> size_in_memory(const Batch& batch) {
  Index pairs = 0;
  for (const auto* spans : {&batch.source_spans, &batch.target_spans})
    for (const Span& span : *spans) pairs += Index{span.length} * span.length;
  return {batch.source_rows + batch.target_rows, pairs};
}

}  // namespace

Trainer::Trainer(Config config, const std::string& config_path, const std::string& run, bool resume)
    : config_(std::move(config)), run_(run), schedule_(make_schedule(config_.optim, config_.model.width)) {
  std::vector<std::string> notes = check(config_);
  apply_runtime(config_.runtime);
  const auto keep = static_cast<std::size_t>(config_.train.keep_checkpoints);
  std::optional<FoundCheckpoint> found;
  if (std::filesystem::exists(run)) {
    checkpoints_.emplace(run, keep);
    found = checkpoints_->newest_valid();
  }
  // What is left open was decided when the run began.
  if (found && !config_.train.bleu_tokenize) config_.train.bleu_tokenize = config_of(*found).train.bleu_tokenize;
  check_continues(config_, run, resume, found);
  if (!found) check_not_overwriting(config_, config_path, run);
  if (resume && !found) notes.push_back("--resume: no checkpoint in " + run + " yet, starting afresh");

  // Everything that can be wrong with the input is found before the run's folder is made.
  std::optional<CheckpointReader> base;
  if (!found && !config_.train.warm_start.empty()) base.emplace(open_warm_start(config_));
  check_text_fits(config_.data);
  check_training_fits(config_, 1, 1);  // what is known before text is read, which may take long
  prepare_data(found.has_value());
  sampler_.emplace(training_, sampler_options(config_.data, static_cast<std::uint64_t>(config_.train.seed)));
  state_.vocabulary_hash = tokenizers_.fingerprint();
  state_.data_hash = Fingerprint().add(training_.fingerprint()).add(validation_.fingerprint()).value();
  if (found) restore_state(*found);
  begin_epoch();
  make_model_and_optimizer();
  if (found) {
    read_parameters(found->reader, model_->parameters);
    read_moments(found->reader, model_->parameters, *optimizer_, state_);
    for (const std::string& refused : found->refused) notes.push_back("checkpoint passed over: " + refused);
    notes.push_back(
        fmt::format("resumed at update {} (epoch {}, batch {})", state_.update, state_.epoch + 1, state_.batch));
    if (state_.build != build_fingerprint())
      notes.push_back("the checkpoint was written by another build (" + state_.build +
                      "): training goes on, but the same bits as without the stop are not promised");
  } else if (base) {
    warm_start(*base);
    notes.push_back("warm start: weights of " + config_.train.warm_start);
    if (const std::string note = RunName(config_.train.warm_start).note(); !note.empty()) notes.push_back(note);
  }
  average_ = make_average(config_.train, model_->parameters);
  if (average_ && found) read_average(found->reader, model_->parameters, *average_);
  state_.config = dump(config_);
  state_.build = build_fingerprint();
  const bool goes_on = !ending();
  const std::string memory = rehearse();

  if (!checkpoints_) {
    checkpoints_.emplace(run, keep);
    // Another trainer may have begun and ended while this one prepared its data.
    check_continues(config_, run, false, checkpoints_->newest_valid());
  }
  write_file_atomically(config_file(run), state_.config);
  if (!found) save_tokenizers(tokenizers_, config_.data, run);
  log_.emplace(run, state_.update, stderr, goes_on);
  if (found) restore_links(goes_on);  // after the log, which has forgotten the end: half-way it is told again
  write_head(notes, memory);
}

void Trainer::prepare_data(bool resuming) {
  const DataConfig& data = config_.data;
  const auto seed = static_cast<std::uint64_t>(config_.train.seed);
  const auto [text, valid] = read_corpora(data, seed);
  if (resuming)
    tokenizers_ = load_tokenizers(data, run_);
  else if (!config_.train.warm_start.empty())  // weights mean something only with their vocabulary
    tokenizers_ = load_tokenizers(data, RunName(config_.train.warm_start).folder());
  else
    tokenizers_ = train_tokenizers(data, text);
  training_ = encode(data, text, tokenizers_);
  data_report_ = fmt::format("training data {}: {}; {}", text.name, describe(text.report), describe(training_.report));
  if (!valid.source.empty()) {
    validation_ = encode(data, valid, tokenizers_);
    for (const std::size_t pair : validation_.origin) {
      validation_sources_.push_back(valid.source[pair]);
      validation_references_.push_back(valid.target[pair]);
    }
    data_report_ +=
        fmt::format("\nvalidation data {}: {}; {}", valid.name, describe(valid.report), describe(validation_.report));
  }
  decide_bleu_tokenizer(text.target);
}

void Trainer::decide_bleu_tokenizer(std::span<const std::string> target) {
  std::optional<BleuTokenizer>& tokenizer = config_.train.bleu_tokenize;
  if (tokenizer) return;
  tokenizer = usual_bleu_tokenizer(config_.data.target, target);
  if (tokenizer == BleuOptions().tokenizer) return;
  data_report_ +=
      fmt::format("\nBLEU counts characters (tok:{}): spaces do not part the words of {}; see train.bleu_tokenize",
                  name(*tokenizer), config_.data.target);
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
  read_mean_parameters({&base, 1}, model_->parameters);
}

/// Once it is sure that there is memory for them and for a step of the largest batch, which stays laid out. All epochs
/// have batches of the same shapes.
void Trainer::make_model_and_optimizer() {
  std::size_t largest = 0;
  std::pair<int, Index> most{};
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    fill_batch(batch_, training_, batches_[i], layout(config_.data));
    if (size_in_memory(batch_) <= most) continue;
    most = size_in_memory(batch_);
    largest = i;
  }
  fill_batch(batch_, training_, batches_[largest], layout(config_.data));
  const Index source_vocabulary = tokenizers_.source->vocabulary_size(),
              target_vocabulary = tokenizers_.target->vocabulary_size();
  check_training_fits(config_, source_vocabulary, target_vocabulary, extent_of(batch_));
  model_ =
      make_model(config_.model, source_vocabulary, target_vocabulary, static_cast<std::uint64_t>(config_.train.seed));
  optimizer_ = make_optimizer(config_.optim, model_->parameters);
}

/// One pass forward and back over the batch that is laid out, the largest, for the memory that it takes: the estimate
/// is made sure of before anything is written, and the arena then has its size. Nothing that training reads is left
/// changed.
std::string Trainer::rehearse() {
  context_.backward(loss_of_batch({.training = true}).sum);
  model_->parameters.clear_grads();
  std::size_t moments = 0;
  for (const StateBuffer<float>& buffer : optimizer_->state()) moments += buffer.values.size_bytes();
  const auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  const double parameters = mib(model_->parameters.values().size_bytes());
  return fmt::format(
      "memory: parameters {0:.1f} MiB, gradients {0:.1f}, optimizer {1:.1f}{2}, a step of {3} rows {4:.1f}; "
      "{5:.0f} in all with program and data, validation apart",
      parameters, mib(moments), average_ ? fmt::format(", average {:.1f}", parameters) : "",
      batch_.source_rows + batch_.target_rows, mib(context_.arena().peak_bytes()), peak_rss_mb());
}

void Trainer::write_head(const std::vector<std::string>& notes, const std::string& memory) {
  if (state_.update == 0) log_->record("configuration\n" + state_.config);
  log_->line(describe_runtime());
  for (const std::string& warning : warnings(surroundings())) log_->line("warning: " + warning);
  log_->line(data_report_);
  log_->line(fmt::format("model: {} parameters; {} source and {} target tokens{}", model_->parameters.count(),
                         tokenizers_.source->vocabulary_size(), tokenizers_.target->vocabulary_size(),
                         tokenizers_.shared() ? ", shared" : ""));
  log_->line(fmt::format("{} batches an epoch; useful tokens: {:.1f} % of the padded boxes{}", batches_.size(),
                         100 * useful_share(training_, batches_, Layout::padded),
                         config_.data.layout == DataConfig::Layout::packed ? ", 100 % as packed here" : ""));
  log_->line(memory);
  if (average_)
    log_->line(
        fmt::format("the moving average of the weights is validated and translates (train.ema {})", config_.train.ema));
  if (validation_.size() > 0 && config_.train.decode_validation)
    log_->line("BLEU in validation: " + bleu_signature(bleu_options(config_)));
  log_->line(budget(config_.train));
  if (sampler_->oversized() > 0)
    log_->line(fmt::format("{} sentences are longer than data.max_tokens alone: a batch each", sampler_->oversized()));
  for (const std::string& note : notes) log_->line("note: " + note);
}

}  // namespace glossa
