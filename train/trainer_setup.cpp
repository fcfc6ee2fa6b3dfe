#include <fmt/ranges.h>

#include <filesystem>

#include "data/atomic_file.h"
#include "data/counted.h"
#include "data/fingerprint.h"
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
  if (!train.max_updates.never()) limits.push_back(counted(train.max_updates.amount, "update"));
  if (!train.max_epochs.never()) limits.push_back(counted(train.max_epochs.amount, "epoch"));
  if (train.max_minutes > 0) limits.push_back(counted(train.max_minutes, "minute"));
  if (train.patience > 0) limits.push_back(counted(train.patience, "validation") + " without improvement");
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

  // Where something is wrong with the input no folder of the run is left.
  std::optional<CheckpointReader> base;
  if (!found && !config_.train.warm_start.empty()) base.emplace(open_warm_start(config_));
  prepare_data(found.has_value());
  model_ = make_model(config_.model, tokenizers_.source->vocabulary_size(), tokenizers_.target->vocabulary_size(),
                      static_cast<std::uint64_t>(config_.train.seed));
  optimizer_ = make_optimizer(config_.optim, model_->parameters);
  sampler_.emplace(training_, sampler_options(config_.data, static_cast<std::uint64_t>(config_.train.seed)));
  state_.vocabulary_hash = tokenizers_.fingerprint();
  state_.data_hash = Fingerprint().add(training_.fingerprint()).add(validation_.fingerprint()).value();
  if (found) {
    restore(*found);
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
  state_.config = dump(config_);
  state_.build = build_fingerprint();
  begin_epoch();
  const bool goes_on = !ending();
  const std::string memory = rehearse();

  if (!checkpoints_) {
    checkpoints_.emplace(run, keep);
    // Another trainer may have begun and ended while this one prepared its data.
    check_continues(config_, run, false, checkpoints_->newest_valid());
  }
  if (new_folder_) new_folder_->keep();
  write_file_atomically(config_file(run), state_.config);
  if (!found) save_tokenizers(tokenizers_, config_.data, run);
  log_.emplace(run, state_.update, stderr, goes_on);
  if (found) restore_links(goes_on);  // after the log, which has forgotten the end: half-way it is told again
  write_head(notes, memory);
}

void Trainer::prepare_data(bool resuming) {
  const DataConfig& data = config_.data;
  const auto seed = static_cast<std::uint64_t>(config_.train.seed);
  const auto [text, valid, split] = read_corpora(data, seed);
  if (!checkpoints_) new_folder_.emplace(run_);
  if (resuming)
    tokenizers_ = load_tokenizers(data, run_);
  else if (!config_.train.warm_start.empty())  // weights mean something only with their vocabulary
    tokenizers_ = load_tokenizers(data, RunName(config_.train.warm_start).folder());
  else
    tokenizers_ = train_tokenizers(data, text);
  training_ = encode(data, text, tokenizers_);
  const auto report = [](const char* use, const ParallelCorpus& corpus, const EncodedCorpus& encoded) {
    return fmt::format("{} data {}: {};\n    {}", use, corpus.name, describe(corpus.report), describe(encoded.report));
  };
  data_report_ = report("training", text, training_);
  if (!valid.source.empty()) {
    validation_ = encode(data, valid, tokenizers_);
    for (const std::size_t pair : validation_.origin) {
      validation_sources_.push_back(valid.source[pair]);
      validation_references_.push_back(valid.target[pair]);
    }
    data_report_ += "\n" + report("validation", valid, validation_);
  }
  if (split.pairs() > 0)
    data_report_ +=
        fmt::format("\ndata.split {}/{}: pairs held out by their hash, for validation and for `glossa evaluate RUN`",
                    split.valid, split.test);
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

void Trainer::restore(const FoundCheckpoint& found) {
  TrainingState saved = read_training_state(found.reader);
  check(saved.vocabulary_hash == state_.vocabulary_hash, run_,
        "expected the vocabulary of the checkpoint; the one in the folder is another. Hint: restore it");
  check(saved.data_hash == state_.data_hash, "data.train",
        "expected the training and validation data of the checkpoint; {} or data.valid is different now. Hint: restore "
        "the data, or start a new run "
        "with train.warm_start: {}",
        config_.data.train, run_);
  read_parameters(found.reader, model_->parameters);
  read_moments(found.reader, model_->parameters, *optimizer_, saved);
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
  read_parameters(base, model_->parameters);
}

/// One pass forward and back over the largest batch, for the memory that it takes: who starts a run learns at once
/// whether the machine has it, and the arena then has its size. Nothing that training reads is left changed. All epochs
/// have batches of the same shapes.
std::string Trainer::rehearse() {
  std::int64_t largest = 0;
  std::pair<int, Index> most{};
  for (std::int64_t i = 0; i < std::ssize(batches_); ++i) {
    fill_batch(batch_, training_, batches_[static_cast<std::size_t>(i)], layout(config_.data));
    if (size_in_memory(batch_) <= most) continue;
    most = size_in_memory(batch_);
    largest = i;
  }
  context_.backward(batch_loss_at(largest, {.training = true}).sum);
  model_->parameters.clear_grads();
  std::size_t moments = 0;
  for (const StateBuffer<float>& buffer : optimizer_->state()) moments += buffer.values.size_bytes();
  const auto mib = [](std::size_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
  return fmt::format(
      "memory: parameters {0:.1f} MiB, gradients {0:.1f}, optimizer {1:.1f};\n"
      "    a step of {2} rows {3:.1f}; {4:.0f} in all with program and data, validation apart",
      mib(model_->parameters.values().size_bytes()), mib(moments), most.first, mib(context_.arena().peak_bytes()),
      peak_rss_mb());
}

void Trainer::write_head(const std::vector<std::string>& notes, const std::string& memory) {
  if (state_.update == 0) log_->record("configuration\n" + state_.config);
  log_->line(describe_runtime());
  for (const std::string& warning : warnings(surroundings())) log_->line("warning: " + warning);
  log_->line(data_report_);
  log_->line(fmt::format("model: {} parameters; {} source and {} target tokens{}", model_->parameters.count(),
                         tokenizers_.source->vocabulary_size(), tokenizers_.target->vocabulary_size(),
                         tokenizers_.shared() ? ", shared" : ""));
  log_->line(fmt::format("{} an epoch; useful tokens: {:.1f} % of padded boxes{}", counted(batches_.size(), "batch"),
                         100 * useful_share(training_, batches_, Layout::padded),
                         config_.data.layout == DataConfig::Layout::packed ? ", 100 % as packed" : ""));
  log_->line(memory);
  if (validation_.size() > 0 && config_.train.decode_validation)
    log_->line("BLEU: " + bleu_signature(bleu_options(config_)));
  log_->line(budget(config_.train));
  if (sampler_->oversized() > 0)
    log_->line(counted(sampler_->oversized(), "sentence") + " above data.max_tokens alone: a batch each");
  for (const std::string& note : notes) log_->line("note: " + note);
}

}  // namespace glossa
